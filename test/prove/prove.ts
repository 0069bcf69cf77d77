/** Runs proofs one after another, and keeps a report that is complete after each of them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Proof } from './proofs.ts'

export type Outcome = {
  proof: Proof
  result: 'passed' | 'failed' | 'ended early'
  seconds: number
  /** Files with the output of each command. */
  outputs: string[]
  /** The last lines of each output. */
  lastLines: string[]
}

type Options = {
  /** Folder of the report and of all output. */
  folder: string
  /** Working directory of the commands. */
  root: string
  /** Ends the running commands. Proofs that have not begun are not run. */
  signal: AbortSignal
  print: (line: string) => void
}

const shownLines = 4

/** Returns whether all proofs have passed. `report.md` in the folder has the result of each. */
export async function prove(proofs: readonly Proof[], options: Options): Promise<boolean> {
  const { folder, signal, print } = options
  await mkdir(folder, { recursive: true })
  const outcomes: Outcome[] = []
  for (const proof of proofs) {
    if (signal.aborted) break
    print(`${proof.name}: ${proof.shows}`)
    const outcome = await run(proof, options)
    outcomes.push(outcome)
    print(`${proof.name}: ${outcome.result} after ${durationOf(outcome.seconds)}`)
    await writeFile(join(folder, 'report.md'), reportOf(proofs, outcomes))
  }
  return outcomes.length === proofs.length && outcomes.every(({ result }) => result === 'passed')
}

async function run(proof: Proof, { folder, root, signal }: Options): Promise<Outcome> {
  const start = performance.now()
  const outputs = proof.commands.map((_, nth) => join(folder, `${proof.name}-${nth + 1}.txt`))
  const codes = await Promise.all(
    proof.commands.map((command, nth) => exitCode(command, root, outputs[nth] ?? '', signal)),
  )
  const texts = await Promise.all(outputs.map(file => readFile(file, 'utf8')))
  return {
    proof,
    result: signal.aborted ? 'ended early' : codes.every(code => code === 0) ? 'passed' : 'failed',
    seconds: (performance.now() - start) / 1000,
    outputs,
    lastLines: texts.flatMap(text => text.trim().split('\n').slice(-shownLines)),
  }
}

/** Writes the output of the command to the file. Returns the exit code; null: a signal ended the command. */
async function exitCode(
  [program = '', ...args]: string[],
  cwd: string,
  file: string,
  signal: AbortSignal,
): Promise<number | null> {
  const child: ChildProcess = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = createWriteStream(file)
  const copied = [child.stdout, child.stderr].map(
    stream =>
      stream &&
      pipeline(stream, async chunks => {
        for await (const chunk of chunks) output.write(chunk)
      }),
  )
  // The programs stop what they have started on this signal.
  const stop = () => child.kill('SIGTERM')
  signal.addEventListener('abort', stop)
  const [code] = await once(child, 'close')
  signal.removeEventListener('abort', stop)
  await Promise.all(copied)
  await new Promise<void>(resolve => output.end(resolve))
  return code
}

function reportOf(proofs: readonly Proof[], outcomes: readonly Outcome[]): string {
  const rows = proofs.map(proof => {
    const outcome = outcomes.find(each => each.proof === proof)
    const result = outcome ? `${outcome.result} | ${durationOf(outcome.seconds)}` : 'not run | -'
    return `| ${proof.name} | ${proof.shows} | ${result} |`
  })
  const details = outcomes.map(
    ({ proof, lastLines, outputs }) => `## ${proof.name}

${proof.commands.map(command => `    ${['node', ...command.slice(1)].join(' ')}`).join('\n')}

Last lines of ${outputs.map(file => `\`${file.split('/').at(-1)}\``).join(' and ')}:

${lastLines.map(line => `    ${line}`).join('\n')}
`,
  )
  return `# Proofs\n\n| proof | shows | result | time |\n|---|---|---|---|\n${rows.join('\n')}\n\n${details.join('\n')}`
}

const durationOf = (seconds: number): string =>
  seconds < 120 ? `${seconds.toFixed(0)} s` : `${(seconds / 60).toFixed(0)} min`
