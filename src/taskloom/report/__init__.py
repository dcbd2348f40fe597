"""Reports: self-contained HTML made from run logs."""
