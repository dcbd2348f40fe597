"""Tasks written as records: `tasks/*.toml` with formulas for the item, its answer and an independent solution."""

from taskloom_open.written.records import TaskRecord, blueprint_of, task_records, written

__all__ = ["TaskRecord", "blueprint_of", "task_records", "written"]
