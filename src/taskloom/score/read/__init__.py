"""Readers: from raw output to the answer in it, to the letter (`strict`) or as a careful person would (`lenient`)."""
