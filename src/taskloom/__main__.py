"""`python -m taskloom`."""

import sys

from taskloom.cli.main import main

sys.exit(main())
