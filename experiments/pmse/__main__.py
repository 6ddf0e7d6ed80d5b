"""``python -m experiments.pmse``: see ``run``."""

import sys

from experiments.pmse.run import main

sys.exit(main())
