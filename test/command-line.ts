/** The command line of a tool in this folder. */
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/** Parses the options. Prints an error and exits with code 2 when an option is unknown or invalid. */
export function optionsOf<const Options extends ParseArgsOptionsConfig>(options: Options) {
  try {
    return parseArgs({ options }).values
  } catch (error) {
    const known = Object.keys(options).map(name => `--${name}`)
    process.stderr.write(`${(error as Error).message}\nKnown options: ${known.join(', ')}.\n`)
    return process.exit(2)
  }
}
