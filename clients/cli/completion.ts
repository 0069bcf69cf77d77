/** Completion of commands and options for bash, zsh and fish, made from the table of commands. */
import type { Command } from './command.ts'

type Commands = Readonly<Record<string, Command>>

/** The actions of a command: the words before its arguments. */
const actionsOf = ({ usage }: Command): string[] =>
  usage.match(/(?:^|\| )[a-z]+/g)?.map(word => word.replace('| ', '')) ?? []
const optionsOf = (command: Command, globals: readonly string[]): string[] => [
  ...[...Object.keys(command.options ?? {}), ...globals].map(name => `--${name}`),
]

/** Returns the script of a shell; null: the shell is unknown. */
export function completionOf(shell: string, commands: Commands, globals: readonly string[]): string | null {
  const scripts: Record<string, typeof bash> = { bash, zsh, fish }
  return Object.hasOwn(scripts, shell) ? (scripts[shell]?.(commands, globals) ?? null) : null
}

function cases(commands: Commands, globals: readonly string[]): string {
  return Object.entries(commands)
    .map(
      ([name, command]) =>
        `    ${name}) words="${[...actionsOf(command), ...optionsOf(command, globals)].join(' ')}" ;;`,
    )
    .join('\n')
}

const bash = (commands: Commands, globals: readonly string[]): string => `_tidemark() {
  local words
  case "\${COMP_WORDS[1]}" in
${cases(commands, globals)}
    *) words="${Object.keys(commands).join(' ')}" ;;
  esac
  [ "$COMP_CWORD" -eq 1 ] && words="${Object.keys(commands).join(' ')}"
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _tidemark tidemark
`

const zsh = (commands: Commands, globals: readonly string[]): string => `#compdef tidemark
autoload -U +X compinit && compinit
autoload -U +X bashcompinit && bashcompinit
${bash(commands, globals)}`

const fish = (commands: Commands, globals: readonly string[]): string => {
  const lines = Object.entries(commands).flatMap(([name, command]) => [
    `complete -c tidemark -n __fish_use_subcommand -f -a ${name} -d '${command.summary.replaceAll("'", '')}'`,
    ...actionsOf(command).map(
      action => `complete -c tidemark -n '__fish_seen_subcommand_from ${name}' -f -a ${action}`,
    ),
    ...optionsOf(command, globals).map(
      option => `complete -c tidemark -n '__fish_seen_subcommand_from ${name}' -l ${option.slice(2)}`,
    ),
  ])
  return `${lines.join('\n')}\n`
}
