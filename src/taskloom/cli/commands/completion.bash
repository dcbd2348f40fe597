# Completion of taskloom for bash, written by `taskloom completion bash`.
_taskloom() {
  local current=${COMP_WORDS[COMP_CWORD]} words=
  COMPREPLY=()
  if (( COMP_CWORD == 1 )); then
    COMPREPLY=( $(compgen -W {{ options | join(" ") | quoted }} -- "$current") )
    return
  fi
  case ${COMP_WORDS[1]} in
{% for verb, given in options.items() %}
    {{ verb }}) words={{ given | join(" ") | quoted }} ;;
{% endfor %}
  esac
  if [[ $current == -* ]]; then
    COMPREPLY=( $(compgen -W "$words" -- "$current") )
  else
    COMPREPLY=( $(compgen -W {{ names | join(" ") | quoted }} -- "$current") $(compgen -f -- "$current") )
  fi
}
complete -o filenames -F _taskloom taskloom
