/** `npm run prove`: its proofs, and its report, with commands that take no time. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'tap'
import { type Proof, proofsOf } from './proofs.ts'
import { prove } from './prove.ts'

const root = join(import.meta.dirname, '../..')
const sizes = { seeds: 100_001, seed: 7, kills: 50, pages: 5_000, minutes: 480, from: 'HEAD~1' }
const proof = (name: string, ...scripts: string[]): Proof => ({
  name,
  shows: `The promise of ${name}.`,
  commands: scripts.map(script => [process.execPath, '-e', script]),
})

test('The simulation divides all seeds among the processors, each once', async t => {
  const { commands } = proofsOf(sizes).find(({ name }) => name === 'simulation') ?? { commands: [] }
  const ranges = commands.map(command => [Number(command[3]), Number(command[5])])
  t.equal(ranges[0]?.[0], sizes.seed)
  for (const [nth, [from = 0, count = 0]] of ranges.entries())
    t.equal(from + count, ranges[nth + 1]?.[0] ?? sizes.seed + sizes.seeds)
})

test('Every command names a program of the repository', async t => {
  for (const { commands } of proofsOf(sizes))
    for (const command of commands)
      for (const argument of command.filter(each => each.endsWith('.ts')))
        t.ok(existsSync(join(root, argument)), argument)
})

test('The report has the result and the last lines of each proof', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-prove-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const stop = new AbortController()
  const run = (...proofs: Proof[]) => prove(proofs, { folder, root, signal: stop.signal, print: () => {} })
  const report = () => readFile(join(folder, 'report.md'), 'utf8')

  t.equal(await run(proof('good', 'console.log("5 seeds, 0 failed")')), true)
  t.match(await report(), /\| good \| The promise of good\. \| passed \| 0 s \|/)
  t.match(await report(), /5 seeds, 0 failed/)

  const half = proof('half', 'console.log("fine")', 'console.error("seed 9 failed"); process.exit(1)')
  t.equal(await run(half, proof('good', '')), false)
  t.match(await report(), /\| half \| The promise of half\. \| failed \|/)
  t.match(await report(), /seed 9 failed/)
  t.match(await report(), /\| good \| The promise of good\. \| passed \|/, 'a failure does not end the rest')

  setTimeout(() => stop.abort(), 500)
  t.equal(await run(proof('endless', 'setInterval(() => {}, 1000)'), proof('good', '')), false)
  t.match(await report(), /\| endless \| .* \| ended early \|/)
  t.match(await report(), /\| good \| The promise of good\. \| not run \| - \|/)
})

test('Unknown proofs and sizes are errors', async t => {
  const said = (...args: string[]) =>
    spawnSync(process.execPath, ['test/prove/run.ts', ...args], { cwd: root, encoding: 'utf8' })
  t.match(said('--only', 'luck'), { status: 2, stderr: /there is no proof luck. Known: histories, / })
  t.match(said('--seeds', '0'), { status: 2, stderr: /--seeds must be a whole number/ })
})
