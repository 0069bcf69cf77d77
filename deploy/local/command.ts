/** Runs a command that ends by itself, with a time limit, and returns its output. */
import { type ChildProcess, spawn } from 'node:child_process'

export type CommandOptions = {
  cwd?: string
  env?: NodeJS.ProcessEnv
  uid?: number | undefined
  gid?: number | undefined
  input?: string
  limitMs?: number
}

export type CommandResult = { code: number | null; output: string }

const underWay = new Set<ChildProcess>()

/** Kills all running commands. Called when the launcher stops. */
export function endCommands(): void {
  for (const child of underWay) child.kill('SIGKILL')
}

/** Resolves with the exit code (null if killed or not startable) and both outputs as one text; never rejects. */
export function command(name: string, args: string[], options: CommandOptions = {}): Promise<CommandResult> {
  const { cwd, env, uid, gid, input = '', limitMs = 120_000 } = options
  return new Promise(resolve => {
    const child = spawn(name, args, {
      ...(cwd === undefined ? {} : { cwd }),
      ...(env === undefined ? {} : { env }),
      ...(uid === undefined ? {} : { uid }),
      ...(gid === undefined ? {} : { gid }),
      timeout: limitMs,
      killSignal: 'SIGKILL',
    })
    underWay.add(child)
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', text => (output += text))
    child.on('error', error => settle(null, `${output}${error.message}`))
    child.on('close', code => settle(code, output.trim()))
    child.stdin.on('error', () => {}) // the command may end without reading
    child.stdin.end(input)

    function settle(code: number | null, output: string): void {
      underWay.delete(child)
      resolve({ code, output })
    }
  })
}
