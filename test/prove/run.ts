/**
 * `npm run prove [-- --only NAMES --seeds N --seed N --kills N --pages N --minutes N --from COMMIT --out FOLDER]`: runs
 * all proofs one after another, at sizes that take a night, and writes `report.md`. Exits with code 1 unless all have
 * passed.
 */
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { optionsOf } from '../command-line.ts'
import { proofsOf } from './proofs.ts'
import { prove } from './prove.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const print = (line: string) => void process.stdout.write(`${line}\n`)
const text = (fallback: string) => ({ type: 'string' as const, default: fallback })
const values = optionsOf({
  only: text(''),
  seeds: text('100000'),
  seed: text(String(randomInt(1_000_000_000))),
  kills: text('50'),
  pages: text('5000'),
  minutes: text('480'),
  from: text('HEAD~1'),
  out: text(join(root, '.tidemark/prove', new Date().toISOString().slice(0, 16).replace(':', '-'))),
})
const sizes = {
  seeds: sizeOf('seeds'),
  seed: sizeOf('seed'),
  kills: sizeOf('kills'),
  pages: sizeOf('pages'),
  minutes: sizeOf('minutes'),
  from: values.from,
}
const all = proofsOf(sizes)
const names = values.only === '' ? all.map(({ name }) => name) : values.only.split(',')
const unknown = names.find(name => !all.some(proof => proof.name === name))
if (unknown !== undefined)
  fail(`--only: there is no proof ${unknown}. Known: ${all.map(({ name }) => name).join(', ')}.`)

const stop = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort())
const wanted = all.filter(({ name }) => names.includes(name))
const hasPassed = await prove(wanted, { folder: values.out, root, signal: stop.signal, print })
print(`${hasPassed ? 'all passed' : 'not all passed'}: ${join(values.out, 'report.md')}`)
process.exitCode = hasPassed ? 0 : 1

function sizeOf(name: 'seeds' | 'seed' | 'kills' | 'pages' | 'minutes'): number {
  const size = Number(values[name])
  if (!Number.isSafeInteger(size) || size < 1) fail(`--${name} must be a whole number of at least 1`)
  return size
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(2)
}
