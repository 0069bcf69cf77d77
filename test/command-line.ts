/** What a tool of this folder is told on its command line. */
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/** What is wrong is told in words, and ends the process with 2. */
export function optionsOf<const Options extends ParseArgsOptionsConfig>(options: Options) {
  try {
    return parseArgs({ options }).values
  } catch (error) {
    const known = Object.keys(options).map(name => `--${name}`)
    process.stderr.write(`${(error as Error).message}\nThere are ${known.join(', ')}.\n`)
    return process.exit(2)
  }
}
