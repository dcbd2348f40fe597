from __future__ import annotations

import re

from scripts.build_gallery import gallery_html

from taskloom.author import task
from taskloom.core import Suite


@task(
    definition="Write <b>nothing</b> but the number that is given, in digits as it stands.",
    right=[("<script>1</script>", "1", "It is 1 & nothing else.")],
    category="Program Execution",
    facets={"domains": ("Mathematics",)},
)
def echo(rng):
    number = rng.randint(10, 9999)
    return f"<i>{number}</i>", number


def test_every_task_is_on_the_page_and_text_is_escaped():
    page = gallery_html(Suite.of([echo], test=5))
    assert page.count("<details ") == 1
    assert 'data-type="Program Execution"' in page
    assert 'data-domain="Mathematics"' in page
    assert "<option>English</option>" in page
    assert "&lt;script&gt;1&lt;/script&gt;" in page
    assert "<i>" not in page
    assert len(re.findall("<pre>", page)) == 1 + 3
