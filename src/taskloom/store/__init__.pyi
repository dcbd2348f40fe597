from taskloom.store.bundle import Bundle as Bundle
from taskloom.store.bundle import check_bundle as check_bundle
from taskloom.store.manifest import Manifest as Manifest
from taskloom.store.manifest import read_manifest as read_manifest
from taskloom.store.rows import to_arrow as to_arrow
from taskloom.store.rows import to_pandas as to_pandas
from taskloom.store.write import write_bundle as write_bundle
