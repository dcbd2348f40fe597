"""The application: runs, samples, findings and judgements in a browser, served live or exported as files.

In: folders of runs, probes and bundles; what a person types and clicks.
Out: pages, made of the parts of `report`, and the JSON behind each of them.

Nothing here asks a model or scores an answer; that is done by the rooms before it, in processes of their own.
"""
