raise RuntimeError("this module never loads")
