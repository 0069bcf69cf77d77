/** The other trials of `npm run chaos -- NAME` on a whole Tidemark, each with its sizes, as a table. */
import { parseArgs } from 'node:util'
import { startOrigin } from '@tidemark/testing/origin'
import { type System, startSystem } from '../../e2e/system.ts'
import { fiveAtOnce, oneRunAKey, thereAtOnce } from './admission.ts'
import { amongEquals, besideALargeTenant } from './fairness.ts'

/** The measurements, and the broken promises. */
type Verdict = { measured: object; wrong: string[] }
type Sizes = Record<string, number>
type Trial = { title: string; sizes: Sizes; run: (system: System, sizes: Sizes) => Promise<Verdict> }

const minJain = 0.95
const maxSlower = 2

const trials: Record<string, Trial> = {
  admission: {
    title: 'five runs per project, for any number of concurrent requests',
    sizes: { rounds: 200, requests: 40 },
    run: (system, { rounds = 0, requests = 0 }) =>
      withSlowPage(system, slow => fiveAtOnce(slow, rounds, requests)),
  },
  idempotency: {
    title: 'one run per key, for any number of concurrent requests and despite kills',
    sizes: { keys: 1000, requests: 20, kills: 10 },
    run: (system, { keys = 0, requests = 0, kills = 0 }) =>
      withSlowPage(system, slow =>
        oneRunAKey(slow, { keys, requests }, { kills, kill: () => killGateway(system) }),
      ),
  },
  reads: {
    title: 'a run can be read right after its answer',
    sizes: { times: 10_000 },
    run: (system, { times = 0 }) =>
      withSlowPage(system, ({ key, url }) =>
        thereAtOnce({ system, key, url: new URL('/', url).href }, times),
      ),
  },
  fairness: {
    title: 'a small crawl beside a large tenant, and tenants of the same size',
    sizes: { runs: 5, urls: 20_000, pages: 100, times: 3, tenants: 10, seconds: 60, delay: 250 },
    run: fairness,
  },
}

export const isTrial = (name: string): boolean => Object.hasOwn(trials, name)

export const trialsUsage = Object.entries(trials)
  .map(([name, { title, sizes }]) => {
    const options = Object.entries(sizes).map(([size, value]) => `--${size} ${value}`)
    return `npm run chaos -- ${name} ${options.join(' ')}\n  ${title}`
  })
  .join('\n')

/** Runs a trial and returns the exit code. Throws for unknown sizes. */
export async function runTrial(name: string, args: string[], report: (line: string) => void) {
  const trial = trials[name]
  if (trial === undefined) throw new Error(`there is no trial ${name}`)
  const sizes = readSizes(trial.sizes, args)
  report('Starting a system …')
  const system = await startSystem({ PROCESSES: 'split' })
  try {
    const { measured, wrong } = await trial.run(system, sizes)
    for (const line of wrong) report(`not ok: ${line}`)
    process.stdout.write(`${JSON.stringify({ trial: name, sizes, ...measured, wrong: wrong.length })}\n`)
    process.stdout.write(`${wrong.length === 0 ? 1 : 0} passed, ${wrong.length === 0 ? 0 : 1} failed\n`)
    return wrong.length === 0 ? 0 : 1
  } finally {
    await system.stop()
  }
}

async function fairness(system: System, sizes: Sizes): Promise<Verdict> {
  const { runs = 0, urls = 0, pages = 0, times = 0, tenants = 0, seconds = 0, delay: delayMs = 0 } = sizes
  const beside = await besideALargeTenant(system, { runs, urls, pages, times, delayMs })
  const equals = await amongEquals(system, { tenants, urls, seconds, delayMs })
  const wrong = [
    ...(beside.ratio > maxSlower ? [`beside a large tenant it takes ${beside.ratio.toFixed(2)} times`] : []),
    ...(equals.jain < minJain ? [`Jain index ${equals.jain.toFixed(3)}`] : []),
  ]
  return { measured: { beside, equals }, wrong }
}

async function withSlowPage(
  system: System,
  trial: (slow: { system: System; key: string; url: string }) => Promise<string[]>,
): Promise<Verdict> {
  await using origin = await startOrigin({ pages: { '/': '<title>One page</title>' } })
  const key = await system.createProject('pressed', '--unlimited')
  return { measured: {}, wrong: await trial({ system, key, url: `${origin.url}/slow/60000` }) }
}

async function killGateway(system: System): Promise<void> {
  const { processes } = await system.runFile()
  const gateway = processes.find(({ services }) => services.includes('gateway'))
  if (gateway !== undefined) process.kill(gateway.pid, 'SIGKILL')
}

function readSizes(sizes: Sizes, args: string[]): Sizes {
  const options = Object.fromEntries(Object.keys(sizes).map(name => [name, { type: 'string' as const }]))
  const { values } = parseArgs({ args, options })
  const read = Object.entries(values).map(([name, value]) => {
    const size = Number(value)
    if (!Number.isSafeInteger(size) || size < 0) throw new Error(`--${name} must be a whole number`)
    return [name, size]
  })
  return { ...sizes, ...Object.fromEntries(read) }
}
