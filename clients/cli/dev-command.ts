/** `tidemark dev`: starts the whole system of a clone, as `npm start` does. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Command, exitCodes, UsageError } from './command.ts'

export const dev: Command = {
  summary: 'start the whole system from a clone, as `npm start` does',
  usage: '[URL]',
  examples: ['tidemark dev', 'tidemark dev https://example.com/'],
  async run({ args }) {
    const root = await cloneAbove(process.cwd())
    const child = spawn('npm', ['start', '--', ...args], { cwd: root, stdio: 'inherit' })
    const ignore = () => {} // npm has received the signal, too, and ends
    process.on('SIGINT', ignore)
    const [code] = await once(child, 'exit')
    process.off('SIGINT', ignore)
    // A process that a signal ends has no exit code.
    return (code as number | null) ?? exitCodes.interrupted[0]
  },
}

/** Returns the folder of the clone that contains a folder. */
async function cloneAbove(folder: string): Promise<string> {
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => '{}')
  const { name, scripts } = JSON.parse(text) as { name?: string; scripts?: Record<string, string> }
  if (name === 'tidemark' && scripts?.start !== undefined) return folder
  if (dirname(folder) === folder)
    throw new UsageError(
      'This folder is not in a clone of Tidemark. Change to a clone and repeat the command.',
    )
  return cloneAbove(dirname(folder))
}
