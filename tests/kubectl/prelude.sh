# Sourced before every command of a transcript.

# until_says FILE TEXT: waits until the file has the text.
until_says() {
  until grep -qsF -- "$2" "$1"; do sleep 0.05; done
}
