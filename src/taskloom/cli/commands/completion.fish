# Completion of taskloom for fish, written by `taskloom completion fish`.
{% for verb in options %}
complete -c taskloom -n __fish_use_subcommand -a {{ verb }} -d {{ about[verb] | quoted }}
{% endfor %}
{% for verb, given in options.items() %}
{% for name in given %}
complete -c taskloom -n '__fish_seen_subcommand_from {{ verb }}' -l {{ name[2:] }}
{% endfor %}
{% endfor %}
complete -c taskloom -n 'not __fish_use_subcommand' -a {{ names | join(" ") | quoted }}
