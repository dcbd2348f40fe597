#compdef taskloom
# Completion of taskloom for zsh, written by `taskloom completion zsh`.
_taskloom() {
  local -a words_of
  if (( CURRENT == 2 )); then
    compadd -- {{ options | join(" ") }}
    return
  fi
  case ${words[2]} in
{% for verb, given in options.items() %}
    {{ verb }}) words_of=({{ given | join(" ") }}) ;;
{% endfor %}
  esac
  if [[ ${words[CURRENT]} == -* ]]; then
    compadd -- $words_of
  else
    compadd -- {{ names | join(" ") }}
    _files
  fi
}
compdef _taskloom taskloom
