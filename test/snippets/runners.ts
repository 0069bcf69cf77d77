/**
 * Runs code blocks as a reader would: each document in a shell of its own, all Python in one interpreter, and all
 * TypeScript in one process of Node.
 */
import { randomInt } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { command } from '../../deploy/local/command.ts'
import type { Block } from './blocks.ts'

export type Ran = { block: Block; isDone: boolean; output: string; faults: string }
export type Setting = { env: NodeJS.ProcessEnv; folder: string; limitMs: number }

const root = join(import.meta.dirname, '../..')
/** Separates the outputs of two blocks (ASCII: record separator). */
const mark = '\u001e'

/**
 * Code before the blocks. The shell stops at the first command that fails. Programs that only developers have are
 * replaced.
 */
const prelude = `
set -euo pipefail
tidemark() { "$NODE" ${join(root, 'clients/cli/main.ts')} "$@"; }
npx() { shift; tidemark "$@"; }
command -v jq > /dev/null || jq() {
  "$NODE" -pe 'process.argv.at(-1).match(/\\w+/g).reduce((value, name) => value[name], JSON.parse(require("fs").readFileSync(0)))' "$@"
}
# A reader is slower than this script, so that fewer crawls run at once.
wait_for_crawls() {
  local n
  for n in {1..100}; do
    case $(curl -s "$BASE/v1/crawls?limit=10" -H "Authorization: Bearer $KEY") in
      *'"running"'*'"running"'* | *'"queued"'*) sleep 0.2 ;;
      *) return ;;
    esac
  done
}
`

/** Runs the blocks of one document in one shell, with `input` as the standard input. */
export async function runShell(blocks: Block[], { env, folder, limitMs }: Setting): Promise<Ran[]> {
  await mkdir(folder, { recursive: true })
  // curl writes a line break behind each answer, so that two answers do not share a line. Signups are limited by
  // address, so each document has another address.
  const address = `127.9.${randomInt(1, 255)}.${randomInt(1, 255)}`
  await writeFile(join(folder, '.curlrc'), `write-out = "\\n"\ninterface = "${address}"\n`)
  const [out, err, script] = ['out', 'err', 'script.sh'].map(name => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const begin = `printf '${mark}'; printf '${mark}' >&2\n`
  const parts = blocks.map(({ code }) => `wait_for_crawls\n${begin}${code}`)
  await writeFile(script, [`exec > ${out} 2> ${err}`, prelude, ...parts, begin].join('\n'))
  await command('bash', [script], {
    cwd: folder,
    limitMs,
    input: env.TIDEMARK_API_KEY ?? '',
    env: {
      ...env,
      CURL_HOME: folder,
      XDG_CONFIG_HOME: folder,
      NODE: process.execPath,
      NODE_NO_WARNINGS: '1',
    },
  })
  const partsOf = async (file: string) => (await readFile(file, 'utf8')).split(mark).slice(1)
  const [outputs, faults] = [await partsOf(out), await partsOf(err)]
  // The block at which the shell ended has no mark behind it.
  return blocks.map((block, n) => ({
    block,
    isDone: n + 1 < outputs.length,
    output: outputs[n] ?? '',
    faults: faults[n] ?? 'the shell ended before this block',
  }))
}

type Result = { output: string; fault: string | null }

const pythonDriver = `
import contextlib, io, json, sys, traceback
results = []
for code, names in json.load(open(sys.argv[1])):
    output, fault = io.StringIO(), None
    with contextlib.redirect_stdout(output):
        try:
            exec(code, {"__name__": "__main__", **{name: eval(text) for name, text in names.items()}})
        except BaseException:
            fault = traceback.format_exc()
    results.append({"output": output.getvalue(), "fault": fault})
json.dump(results, open(sys.argv[2], "w"))
`

/** Values that the blocks of a document require, by document: names and expressions in the language of the blocks. */
export type Given = Readonly<Record<string, Readonly<Record<string, string>>>>

export async function runPython(
  blocks: Block[],
  { env, folder, limitMs }: Setting,
  given: Given,
): Promise<Ran[]> {
  await mkdir(folder, { recursive: true })
  const [from, to] = [join(folder, 'blocks.json'), join(folder, 'results.json')]
  await writeFile(from, JSON.stringify(blocks.map(({ document, code }) => [code, given[document] ?? {}])))
  const ended = await command('/usr/bin/python3', ['-S', '-s', '-c', pythonDriver, from, to], {
    cwd: folder,
    limitMs,
    env: { ...env, PYTHONDONTWRITEBYTECODE: '1' },
  })
  return resultsIn(to, blocks, ended.output)
}

/** Runs modules one after the other. `folder` must lie in the repository, which has the packages. */
export async function runTypeScript(
  blocks: Block[],
  { env, folder, limitMs }: Setting,
  given: Given,
): Promise<Ran[]> {
  const work = join(folder, 'work')
  await mkdir(work, { recursive: true })
  for (const [n, { document, code }] of blocks.entries()) {
    const names = Object.entries(given[document] ?? {}).map(([name, value]) => `const ${name} = ${value}\n`)
    await writeFile(join(folder, `${n}.ts`), `${names.join('')}${code}`)
  }
  const to = join(folder, 'results.json')
  const driver = `
import { writeFile } from 'node:fs/promises'
import { format } from 'node:util'
const results = []
for (const load of [${blocks.map((_, n) => `() => import('./${n}.ts')`).join(', ')}]) {
  const result = { output: '', fault: null }
  console.log = (...values) => { result.output += format(...values) + '\\n' }
  await load().catch(error => { result.fault = error.stack })
  results.push(result)
}
await writeFile(${JSON.stringify(to)}, JSON.stringify(results))
`
  await writeFile(join(folder, 'driver.ts'), driver)
  const ended = await command(process.execPath, [join(folder, 'driver.ts')], { cwd: work, limitMs, env })
  return resultsIn(to, blocks, ended.output)
}

async function resultsIn(file: string, blocks: Block[], printed: string): Promise<Ran[]> {
  const results: Result[] = JSON.parse(await readFile(file, 'utf8').catch(() => '[]'))
  return blocks.map((block, n) => {
    const { output = '', fault = `not run: ${printed.slice(-2_000)}` } = results[n] ?? {}
    return { block, isDone: fault === null, output, faults: fault ?? '' }
  })
}
