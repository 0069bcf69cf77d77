import { execFileSync } from 'node:child_process'
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { patient } from '@tidemark/testing/slowness'
import { type Test, test } from 'tap'
import { sourcePaths } from '../source-paths.ts'
import { atSlowness, costIn, updatedCosts } from './costs.ts'
import type { FileResult } from './file-reader.ts'
import { groupsOf } from './groups.ts'
import { idleProcessors } from './idle-processors.ts'
import { cpuOf, dearestFiles, type Measurement } from './measurement.ts'
import { moduleEnvironment } from './packages.ts'
import { phasesOf } from './phases.ts'
import { reachOf } from './reach.ts'
import { longestFirst, runAll, type Task, waitingTasks } from './schedule.ts'
import { scratchFolder } from './scratch.ts'
import { processorMs, slownessOf } from './slowness.ts'
import { systemSeed } from './system-seed.ts'
import { runFile, runGroup } from './test-process.ts'

const root = path.join(import.meta.dirname, '../..')
const capacity = { processors: 2, slots: 4 }

test('The slowness of a machine', async t => {
  t.strictSame([slownessOf(100), slownessOf(190), slownessOf(266), slownessOf(9_999)], [1, 1, 1.4, 4])
  const ms = processorMs()
  t.ok(ms > 20, `a round takes ${ms} ms, long enough to be measured`)
  const costs = { a: { seconds: 10, cpu: 4 }, b: { seconds: 5, cpu: 0 } }
  t.strictSame(atSlowness(costs, 1.5), { a: { seconds: 12, cpu: 6 }, b: { seconds: 5, cpu: 0 } })
  t.strictSame(atSlowness(atSlowness(costs, 2), 1 / 2), costs)
  t.strictSame(atSlowness({ a: { seconds: 10, cpu: 40 } }, 1 / 2), { a: { seconds: 5, cpu: 20 } })
})

test('The schedule of tasks', async t => {
  /** Tasks that record their order, and which ran when each started. */
  const crowd = (tasks: { name: string; seconds: number; cpu: number; ms?: number }[]) => {
    const running = new Set<string>()
    const order: string[] = []
    const beside = new Map<string, string[]>()
    const made = tasks.map(
      ({ name, seconds, cpu, ms = 20 }): Task => ({
        name,
        cost: { seconds, cpu },
        async run() {
          order.push(name)
          running.add(name)
          beside.set(name, [...running])
          await sleep(ms)
          running.delete(name)
        },
      }),
    )
    return { made, order, beside }
  }

  t.test('starts the longest first', async t => {
    const { made, order } = crowd([
      { name: 'short', seconds: 1, cpu: 1 },
      { name: 'long', seconds: 30, cpu: 30 },
      { name: 'middle', seconds: 5, cpu: 5 },
    ])
    await runAll({ tasks: longestFirst(made), capacity: { processors: 1, slots: 1 } })
    t.strictSame(order, ['long', 'middle', 'short'])
  })

  t.test('runs no more at once than the processors carry, and lets what waits run beside', async t => {
    const busy = ['a', 'b', 'c'].map(name => ({ name, seconds: 9, cpu: 9 }))
    const { made, beside } = crowd(busy)
    await runAll({ tasks: made, capacity })
    t.strictSame(
      [...beside.values()].map(({ length }) => length),
      [1, 2, 2],
    )
    const waiting = ['d', 'e', 'f', 'g', 'h'].map(name => ({ name, seconds: 9, cpu: 1 }))
    const idle = crowd(waiting)
    await runAll({ tasks: idle.made, capacity })
    const atOnce = [...idle.beside.values()].map(({ length }) => length)
    t.strictSame(atOnce, [1, 2, 3, 4, 4], 'as many as there are slots')
    const more = crowd([
      ...['i', 'j', 'k'].map(name => ({ name, seconds: 9, cpu: 4 })),
      ...['l', 'm', 'n'].map(name => ({ name, seconds: 9, cpu: 1 })),
    ])
    await runAll({ tasks: more.made, capacity: { processors: 2, slots: 6 } })
    t.strictSame(
      [...more.beside.values()].map(({ length }) => length),
      [1, 2, 3, 4, 5, 5],
      'a task that only waits takes half of the usual minimum',
    )
  })

  t.test('lets small tasks overtake one that does not fit, but not for ever', async t => {
    const { made, order } = crowd([
      { name: 'half', seconds: 9, cpu: 4, ms: 200 },
      { name: 'other half', seconds: 9, cpu: 6, ms: 200 },
      { name: 'whole', seconds: 9, cpu: 9 },
      ...Array.from({ length: 9 }, (_, n) => ({ name: `small ${n}`, seconds: 9, cpu: 1, ms: 5 })),
    ])
    await runAll({ tasks: made, capacity })
    t.strictSame(order.slice(0, 2), ['half', 'other half'])
    t.equal(order.indexOf('whole'), 6, 'after four small ones')
    t.equal(order.length, made.length)
  })

  t.test('runs heavy tasks first and one at a time, and others beside them meanwhile', async t => {
    const { made, order, beside } = crowd([
      { name: 'long', seconds: 30, cpu: 3, ms: 60 },
      { name: 'heavy', seconds: 9, cpu: 2 },
      { name: 'heavier', seconds: 12, cpu: 20 },
      ...Array.from({ length: 6 }, (_, n) => ({ name: `small ${n}`, seconds: 2 + n, cpu: 1, ms: 5 })),
    ])
    const heavy = ['heavy', 'heavier']
    const tasks = made.map(task => ({ ...task, isHeavy: heavy.includes(task.name) }))
    await runAll({ tasks: longestFirst(tasks), capacity })
    t.strictSame(order.slice(0, 2), ['heavier', 'long'])
    t.ok([...beside.values()].every(names => names.filter(name => heavy.includes(name)).length <= 1))
    t.ok(order.indexOf('heavy') > 2, 'it waits for the other, and no task waits for it')
  })

  t.test('lets more tasks run while processors are idle, one at a time, and never a heavy one', async t => {
    const { made, order, beside } = crowd([
      { name: 'working', seconds: 9, cpu: 9, ms: 300 },
      { name: 'waiting', seconds: 9, cpu: 9, ms: 300 },
      { name: 'heavy', seconds: 9, cpu: 4, ms: 5 },
      { name: 'too large', seconds: 9, cpu: 8, ms: 5 },
      { name: 'small', seconds: 9, cpu: 4, ms: 5 },
      { name: 'other', seconds: 9, cpu: 4, ms: 300 },
      { name: 'last', seconds: 9, cpu: 4, ms: 5 },
    ])
    const tasks = made.map(task => ({ ...task, isHeavy: task.name === 'heavy' }))
    const observed = [0, 0.6, 0.6]
    const idleProcessors = () => sleep(20, observed.shift() ?? 0)
    await runAll({ tasks, capacity: { processors: 2, slots: 2, spare: { slots: 3, idleProcessors } } })
    t.strictSame(order.slice(0, 4), ['working', 'waiting', 'small', 'other'])
    t.strictSame(beside.get('small'), ['working', 'waiting', 'small'])
    t.equal(Math.max(...[...beside.values()].map(({ length }) => length)), 3)
    t.equal(order.length, made.length)
  })

  t.test('measures how many processors are idle', async t => {
    const idle = await idleProcessors()
    t.ok(idle >= 0 && idle <= os.availableParallelism(), `${idle}`)
  })

  t.test('finds the longest tasks that mostly wait', async t => {
    const { made } = crowd([
      { name: 'computing', seconds: 50, cpu: 20 },
      { name: 'long', seconds: 60, cpu: 6 },
      { name: 'too long', seconds: 50, cpu: 6 },
      { name: 'short', seconds: 40, cpu: 0 },
      { name: 'heavy', seconds: 30, cpu: 0 },
    ])
    const tasks = made.map(task => ({ ...task, isHeavy: task.name === 'heavy' }))
    t.strictSame(
      waitingTasks(tasks, 100).map(({ name }) => name),
      ['long', 'short'],
    )
  })

  t.test('begins with the files that measure, beside files that mostly wait', async t => {
    const costs = {
      'test/e2e/patterns.test.ts': { seconds: 20, cpu: 20 },
      'libs/bus/waits.test.ts': { seconds: 30, cpu: 1 },
      'libs/bus/works.test.ts': { seconds: 30, cpu: 30 },
    }
    const checks = [{ name: 'types', cost: { seconds: 9, cpu: 9 }, run: async () => {} }]
    const phases = phasesOf(Object.keys(costs), { costs, run: async () => {}, checks, processors: 2 })
    t.strictSame(
      phases.map(({ tasks }) => tasks.map(({ name }) => name)),
      [
        ['test/e2e/patterns.test.ts', 'libs/bus/waits.test.ts'],
        ['types', 'libs/bus/works.test.ts'],
      ],
    )
  })

  t.test('begins the next phase beside tasks that the phase before it does not need', async t => {
    const { made, order, beside } = crowd([
      { name: 'needed', seconds: 9, cpu: 9, ms: 60 },
      { name: 'still running', seconds: 9, cpu: 1, ms: 300 },
      { name: 'never started', seconds: 5, cpu: 1 },
      { name: 'longest', seconds: 8, cpu: 1, ms: 60 },
      { name: 'shortest', seconds: 2, cpu: 1 },
    ])
    await runAll(
      { tasks: made.slice(0, 3), capacity: { processors: 2, slots: 2 }, until: made.slice(0, 1) },
      { tasks: made.slice(3), capacity: { processors: 1, slots: 2 } },
    )
    t.strictSame(order, ['needed', 'still running', 'longest', 'never started', 'shortest'])
    t.strictSame(beside.get('longest'), ['still running', 'longest'])
  })

  t.test('runs a task that no machine carries, and rejects as soon as one rejects', async t => {
    const { made, order } = crowd([{ name: 'huge', seconds: 1, cpu: 90 }])
    await runAll({ tasks: made, capacity: { processors: 0.5, slots: 1 } })
    t.strictSame(order, ['huge'])
    const failing = {
      name: 'failing',
      cost: { seconds: 1, cpu: 1 },
      run: () => Promise.reject(new Error('no')),
    }
    await t.rejects(runAll({ tasks: [...made, failing], capacity }), { message: 'no' })
  })
})

test('The costs of files', async t => {
  const measured = (file: string, seconds: number): Measurement => ({
    file,
    seconds,
    passed: 1,
    failed: 0,
    skipped: 0,
    assertions: 2,
    usage: { cpu: 1.04, childCpu: 2.23, servers: { nats: 2, redis: 1 }, waited: 0.5, waits: [] },
  })

  t.test('is recorded for files that are there', async t => {
    const before = { 'gone.test.ts': { seconds: 1, cpu: 1 }, 'z.test.ts': { seconds: 2, cpu: 2 } }
    const after = updatedCosts(before, [measured('a.test.ts', 4.26)], ['a.test.ts', 'z.test.ts'])
    t.strictSame(Object.entries(after), [
      ['a.test.ts', { seconds: 4.3, cpu: 3.3 }],
      ['z.test.ts', { seconds: 2, cpu: 2 }],
    ])
    t.ok(costIn(after, 'new.test.ts').seconds > 10, 'a file that was never measured starts early')
  })

  t.test('is printed for the ten dearest', async t => {
    const many = Array.from({ length: 12 }, (_, n) => measured(`${n}.test.ts`, n + 20.5))
    const lines = dearestFiles([...many, { ...measured('killed.test.ts', 99), usage: null }])
    t.equal(lines.length, 12)
    t.equal(lines[1], '   99.0      -      -  killed.test.ts')
    t.equal(lines[2], '   31.5    3.3    0.5  11.test.ts  2 nats, 1 redis')
    t.equal(lines[11], '3 files took more than 30 s')
  })
})

test('A test file in a process of its own', async t => {
  async function run(t: Test, text: string, limitMs = 60_000) {
    const dir = t.testdir({ 'x.test.ts': `import { test } from 'tap'\n${text}` })
    const file = path.relative(root, path.join(dir, 'x.test.ts'))
    const result = await runFile(file, { root, scratch: dir, env: {}, limitMs })
    t.strictSame(await fs.readdir(dir), ['x.test.ts'], 'nothing stays in the scratch folder')
    return {
      ...result,
      lines: result.lines.map(line => line.replace(file, 'x').replace(/\(.* s\)/, '(time)')),
    }
  }

  t.test('fails if a system gave it an answer that the OpenAPI document does not have', async t => {
    const { measurement, lines } = await run(
      t,
      `const { textOf } = await import(${JSON.stringify(path.join(root, 'test/recorded-answers.ts'))})
      const answer = (status: number) => Response.json({}, { status })
      test('an answer', async t => {
        t.ok(await textOf(answer(418), { method: 'GET', path: '/v1/crawls' }))
      })`,
    )
    t.match(measurement, { passed: 1, failed: 1 })
    t.match(lines.join('\n'), 'answers checked: 1')
  })

  t.test('is counted, with the time that it took and waited and the processes that it started', async t => {
    const { lines, failed, measurement } = await run(
      t,
      `import { spawnSync, spawn } from 'node:child_process'
      import { once } from 'node:events'
      import { setTimeout as sleep } from 'node:timers/promises'
      const burn = 'while (process.cpuUsage().user < 3e5);'
      test('outer', async t => {
        t.test('inner', async t => t.equal(1, 1))
        t.test('waits', async t => {
          await Promise.all([sleep(300), sleep(300)])
          t.equal(process.env.TEST_USAGE, undefined)
          await once(spawn(process.execPath, ['-e', burn, 'postgres']), 'exit')
        })
      })`,
    )
    t.strictSame(lines, ['ok     x (time)'])
    t.strictSame(failed, [])
    const { passed, skipped, assertions, usage, seconds } = measurement
    t.strictSame(
      { passed, failed: measurement.failed, skipped, assertions },
      { passed: 2, failed: 0, skipped: 0, assertions: 2 },
    )
    t.strictSame(usage?.servers, { postgres: 1 })
    const { waited = 0, childCpu, waits = [] } = usage ?? {}
    t.ok(waited >= 0.29 && waited <= seconds - 0.3, `waited ${waited} s of ${seconds}`)
    t.match(waits, [{ at: /x\.test\.ts:9$/, seconds: Number }])
    t.ok(childCpu === null || (childCpu ?? 0) >= 0.25, `children took ${childCpu} s`)
    t.equal(cpuOf(measurement), (usage?.cpu ?? 0) + (childCpu ?? 0))
  })

  t.test('fails with its assertions, and with the code or signal of a process that died', async t => {
    const bad = await run(t, `test('bad', async t => t.equal(1, 2, 'one is two'))`)
    t.strictSame(bad.lines.slice(0, 2), ['not ok x (time)', '  not ok: bad > one is two'])
    t.match(bad.failed, [{ tally: { passed: 0, failed: 1, skipped: 0 } }])
    const dead = await run(
      t,
      `test('good', async () => {}); process.on('exit', () => { process.exitCode = 7 })`,
    )
    t.match(dead.measurement, { passed: 1, failed: 1 })
    t.match(dead.lines.join('\n'), 'exitCode: 7')
    const killed = await run(t, `process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 1000)`)
    t.match(killed.lines.join('\n'), 'signal: SIGKILL')
    t.match(killed.measurement, { failed: 1, assertions: 0, usage: null })
  })

  t.test('fails in the test whose work throws an error that it does not catch', async t => {
    const { lines, measurement } = await run(
      t,
      `import { connect } from 'node:net'
      const soon = (work: () => void) => new Promise(() => setTimeout(work, 10))
      const toss = (name: string) => () => { throw new Error(name) }
      test('outer', async t => {
        t.test('a timer', () => soon(toss('late')))
        t.test('a promise', () => soon(() => void Promise.reject(new Error('refused'))))
        t.test('a socket', () => soon(() => void connect(1, '127.0.0.1')))
        t.test('after its end', async () => void setTimeout(toss('leftover'), 20))
        t.test('meanwhile', async t => {
          await new Promise(resolve => setTimeout(resolve, 60))
          t.pass()
        })
      })
      test('another', async t => {
        process.once('uncaughtException', error => t.equal(error.message, 'expected'))
        setTimeout(toss('expected'), 10)
        await new Promise(resolve => setTimeout(resolve, 30))
      })`,
    )
    t.match(measurement, { passed: 3, failed: 4 })
    t.strictSame(
      lines.filter(line => line.startsWith('  not ok')),
      [
        'a timer > late',
        'a promise > refused',
        'a socket > connect ECONNREFUSED 127.0.0.1:1',
        'leftover',
      ].map(text => `  not ok: outer > ${text}`),
    )
  })

  t.test('is skipped where it has no tests, and ended where it takes too long', async t => {
    t.match((await run(t, '')).measurement, { passed: 0, failed: 0, skipped: 1 })
    const hanging = await run(
      t,
      `test('hangs', () => new Promise(() => setInterval(() => {}, 1000)))`,
      patient(1_500),
    )
    t.match(hanging.measurement, { passed: 0, failed: 1 })
    t.match(hanging.lines.join('\n'), 'timeout!')
  })
})

test('Pure test files', async t => {
  t.test('are grouped by their costs, and all others run alone', async t => {
    const files = [
      'libs/url/a.test.ts',
      'libs/bus/b.test.ts',
      'services/webhook/domain/c.test.ts',
      'libs/html/x/d.test.ts',
    ]
    const cost = (seconds: number) => ({ seconds, cpu: seconds })
    const costs = {
      'libs/url/a.test.ts': cost(5),
      'services/webhook/domain/c.test.ts': cost(11),
      'libs/html/x/d.test.ts': cost(6),
    }
    t.strictSame(groupsOf(files, costs), [
      ['services/webhook/domain/c.test.ts'],
      ['libs/html/x/d.test.ts', 'libs/url/a.test.ts'],
      ['libs/bus/b.test.ts'],
    ])
    t.strictSame(
      groupsOf(['libs/url/new.test.ts', 'libs/url/a.test.ts'], costs),
      [['libs/url/new.test.ts'], ['libs/url/a.test.ts']],
      'one that was never measured stays alone',
    )
  })

  t.test('run in one process, and are reported separately', async t => {
    const imports = "import { test } from 'tap'\nimport { setTimeout as sleep } from 'node:timers/promises'\n"
    const dir = t.testdir({
      'good.test.ts': `${imports}test('one', async t => { await sleep(60); t.equal(1, 1) }); test('two', async t => { t.ok(1); t.ok(2) })`,
      'bad.test.ts': `${imports}test('fine', async () => {}); test('bad', async t => { await sleep(20); t.equal(1, 2, 'one is two') })`,
      'bare.test.ts': `import t from 'tap'\nt.equal(1, 2, 'bare')`,
      'broken.test.ts': "import './missing.ts'",
      'empty.test.ts': '',
      'dies.test.ts': `${imports}test('lives', async () => {}); await sleep(50); process.exit(3)`,
      'late.test.ts': `${imports}test('never', async () => {})`,
    })
    const names = ['good', 'bad', 'bare', 'broken', 'empty', 'dies', 'late']
    const files = names.map(name => path.relative(root, path.join(dir, `${name}.test.ts`)))
    const results: FileResult[] = []
    const run = { root, scratch: dir, env: {}, limitMs: 60_000 }
    const left = await runGroup(files, run, result => void results.push(result))
    t.strictSame(left, files.slice(-1), 'files after the end of the process have not run')
    t.strictSame(
      results.map(({ measurement: { file, passed, failed, skipped, assertions } }) => [
        path.basename(file, '.test.ts'),
        ...[passed, failed, skipped, assertions],
      ]),
      [
        ['good', 2, 0, 0, 3],
        ['bad', 1, 1, 0, 1],
        ['bare', 0, 1, 0, 1],
        ['broken', 0, 1, 0, 1],
        ['empty', 0, 0, 1, 0],
        ['dies', 1, 1, 0, 0],
      ],
    )
    t.strictSame(
      results.map(({ failed }) => failed.length),
      [0, 1, 1, 1, 0, 1],
    )
    const textOf = (name: string) =>
      results
        .flatMap(({ lines }) => lines)
        .join('\n')
        .split(`${name}.test.ts`)[1] ?? ''
    t.match(textOf('bad'), 'not ok: bad > one is two')
    t.match(textOf('broken'), 'missing.ts')
    t.match(results.flatMap(({ lines }) => lines).join('\n'), 'exitCode: ')
    const { seconds = 0, usage } = results[0]?.measurement ?? {}
    t.ok(seconds >= 0.06 && (usage?.cpu ?? 0) > 0, `${seconds} s`)
  })
})

test('The folder for all that tests write', async t => {
  const memory = t.testdir({ 'tidemark-test-4194305-x': { file: '' }, 'tidemark-test-1-x': {}, other: {} })
  const dir = await scratchFolder(memory)
  t.match(path.basename(dir), `tidemark-test-${process.pid}-`)
  t.equal((await fs.stat(dir)).mode & 0o777, 0o755)
  const others = (await fs.readdir(memory)).filter(name => name !== path.basename(dir))
  t.strictSame(others.sort(), ['other', 'tidemark-test-1-x'], 'the folder of an ended run is deleted')
  const elsewhere = await scratchFolder(path.join(memory, 'missing'))
  t.equal(path.dirname(elsewhere), os.tmpdir())
  await fs.rm(elsewhere, { recursive: true })
})

test('The seed of systems', async t => {
  const root = t.testdir({
    'package-lock.json': '1',
    cache: {},
    services: { gateway: { 'database.ts': '1' } },
  })
  const cache = path.join(root, 'cache')
  const made: string[] = []
  const make = async (seed: string) => {
    made.push(path.basename(seed))
    await fs.mkdir(seed)
  }
  const seed = await systemSeed(root, cache, make)
  await fs.mkdir(path.join(cache, 'node'))

  t.test('is made once', async t => {
    t.equal(await systemSeed(root, cache, make), seed)
    t.strictSame(made, [path.basename(seed)])
  })

  t.test('is made again when what it depends on changes, and the old one is removed', async t => {
    await fs.writeFile(path.join(root, 'services/gateway/database.ts'), '2')
    const next = await systemSeed(root, cache, make)
    t.not(next, seed)
    t.strictSame((await fs.readdir(cache)).sort(), ['node', path.basename(next)])
  })
})

test('The tests that a change can affect', async t => {
  const texts: Record<string, string> = {
    'contracts/run.ts': '',
    'libs/url/site.ts': '',
    'libs/url/site.test.ts': "import { siteOf } from './site.ts'",
    'libs/url/other.test.ts': "import type { Site } from './site.ts'",
    'libs/testing/until.ts': '',
    'services/webhook/main.ts': "import '@tidemark/url/site'\nimport '@tidemark/contracts/run'",
    'services/webhook/webhook.scene.ts': "spawn(join(import.meta.dirname, 'main.ts'))",
    'services/webhook/webhook.test.ts': "import './webhook.scene.ts'\nconst pages = 'pages/web'",
    'services/webhook/pages/web/one.html': '',
    'services/webhook/pages/two.html': '',
    'deploy/local/host.ts': "await import('@tidemark/webhook/main')",
    'deploy/local/host.test.ts': "fork('deploy/local/host.ts')",
    'deploy/compose.yaml': '',
    'test/documents.test.ts': '',
    'test/e2e/map.test.ts': '',
    'test/bench/run.ts': '',
    'package-lock.json': '',
  }
  const sources = Object.entries(texts).map(([path, text]) => ({ path, text }))
  const whole = ['test/documents.test.ts', 'test/e2e/map.test.ts']
  const rows: [changed: string, tests: string[], unreached?: string[]][] = [
    [
      'libs/url/site.ts',
      ['deploy/local/host.test.ts', 'libs/url/site.test.ts', 'services/webhook/webhook.test.ts', ...whole],
    ],
    ['contracts/run.ts', ['deploy/local/host.test.ts', 'services/webhook/webhook.test.ts', ...whole]],
    ['services/webhook/webhook.test.ts', ['services/webhook/webhook.test.ts', 'test/documents.test.ts']],
    ['services/webhook/pages/web/one.html', ['services/webhook/webhook.test.ts', ...whole]],
    ['deploy/local/host.ts', ['deploy/local/host.test.ts', ...whole]],
    ['deploy/compose.yaml', ['deploy/local/host.test.ts', 'test/documents.test.ts'], ['deploy/compose.yaml']],
    ['test/bench/run.ts', ['test/documents.test.ts'], ['test/bench/run.ts']],
    ['README.md', ['test/documents.test.ts'], ['README.md']],
    ['package-lock.json', Object.keys(texts).filter(file => file.endsWith('.test.ts'))],
    ['libs/removed.ts', whole],
  ]
  for (const [changed, tests, unreached = []] of rows)
    t.strictSame(reachOf(sources, new Set([changed])), { tests: tests.toSorted(), unreached }, changed)
  t.strictSame(reachOf(sources, new Set()), { tests: [], unreached: [] })
})

test('Packages of many modules', async t => {
  const environment = await moduleEnvironment(root, path.join(root, 'node_modules/.cache'))
  const table: Record<string, string> = JSON.parse(await fs.readFile(environment.TEST_PACKAGES ?? '', 'utf8'))
  const packageOf = (name: string) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0]

  t.test('are loaded from one file for each name, with the same exports', async t => {
    const script = `
      const names = ${JSON.stringify(Object.keys(table))}
      for (const name of names)
        console.log(JSON.stringify([name, import.meta.resolve(name), Object.keys(await import(name))]))
    `
    const inChild = (env: NodeJS.ProcessEnv) =>
      execFileSync(process.execPath, ['--input-type=module', '-e', script], {
        cwd: root,
        env: { ...process.env, ...env },
      })
        .toString()
        .trim()
        .split('\n')
        .map(line => JSON.parse(line) as [string, string, string[]])
    const plain = inChild({ NODE_OPTIONS: '' })
    for (const [n, [name, url, exported]] of inChild(environment).entries()) {
      t.equal(url, table[name])
      const own = plain[n]?.[2].filter(key => key !== 'module.exports')
      t.strictSame(exported.sort(), own?.sort(), name)
    }
  })

  t.test('and sources are loaded without types that Node would have to remove', async t => {
    const compiled = t.testdir()
    const script = `
      const { sized } = await import('./libs/testing/tier.ts')
      console.log(typeof sized, process.moduleLoadList.some(name => name.includes('amaro')))
    `
    const inChild = (env: NodeJS.ProcessEnv) =>
      execFileSync(process.execPath, ['--input-type=module', '-e', script], {
        cwd: root,
        env: { ...process.env, NODE_COMPILE_CACHE: compiled, ...env },
      }).toString()
    inChild(environment) // removes the types of the hooks, and Node keeps the result
    t.equal(inChild(environment), 'function false\n')
    t.equal(
      inChild({ ...environment, TEST_STRIPPED: path.join(compiled, 'none') }),
      'function true\n',
      'Node removes others',
    )
  })

  t.test('have a file for each name that a source imports', async t => {
    const packages = new Set(Object.keys(table).map(packageOf))
    const imported = new Set<string>()
    for (const file of sourcePaths(root)) {
      const text = await fs.readFile(path.join(root, file), 'utf8')
      const statements = text.matchAll(/^(?:import|export)\b(?! type)[^'"]*from '([^']+)'/gm)
      for (const [, name = ''] of statements) if (packages.has(packageOf(name))) imported.add(name)
    }
    t.ok(imported.size > 8, `${imported.size} names`)
    t.strictSame(
      [...imported].filter(name => !(name in table)),
      [],
    )
  })
})
