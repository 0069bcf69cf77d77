import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Test, test } from 'tap'
import { folder, isAlive, until } from '../local.examples.ts'
import { launcherLog } from './launcher-log.ts'
import { type Death, nextWait, Supervised } from './supervisor.ts'

test('The supervisor', async t => {
  const nodeSpec = (script: string) => ({
    name: 'child',
    command: [process.execPath, '-e', script],
    env: () => process.env,
    stopSignal: 'SIGTERM' as const,
    graceMs: 300,
  })

  t.test('doubles the wait up to 5 s, and forgets it for a process that lived half a minute', async t => {
    t.strictSame(
      [0, 200, 400, 3_200, 5_000].map(last => nextWait(last, 1_000)),
      [200, 400, 800, 5_000, 5_000],
    )
    t.equal(nextWait(5_000, 30_000), 200)
  })

  t.test('restarts dead processes with the environment of that time, and reports each death', async t => {
    const deaths: Death[] = []
    const logs = folder(t)
    let starts = 0
    const spec = {
      ...nodeSpec(
        'console.log("start", process.env.START); if (process.env.START < 3) process.exit(7); setInterval(() => {}, 1e3)',
      ),
    }
    const child = new Supervised(
      { ...spec, env: () => ({ START: String(++starts) }) },
      { logs, died: death => deaths.push(death) },
    )
    await until(() => readLog(logs).includes('start 3'))
    t.match(deaths, [
      { name: 'child', code: 7, waitMs: 200 },
      { name: 'child', code: 7, waitMs: 400 },
    ])
    await child.stop()
    t.equal(child.pid, null)
    t.equal(deaths.length, 2, 'a stop is no death')
  })

  t.test('kills what does not heed the stop, and what it left in its group', async t => {
    const logs = folder(t)
    const script = `const { pid } = require('child_process').spawn('sleep', ['600']); process.on('SIGTERM', () => {}); console.log(pid); setInterval(() => {}, 1e3)`
    const child = new Supervised(nodeSpec(script), { logs })
    const grandchild = Number(await until(() => readLog(logs).trim()))
    await child.stop()
    await until(() => !isAlive(grandchild))
    t.pass()
  })

  t.test('prints the end of a log at a first death, and again when there was none for minutes', async t => {
    const logs = folder(t)
    fs.writeFileSync(`${logs}/child.log`, 'its last words\n')
    const said: string[] = []
    let now = Date.now()
    const { reportDeath } = launcherLog(
      logs,
      line => said.push(line),
      () => now,
    )
    for (const waitMs of [0, 299_000, 299_000, 301_000]) {
      now += waitMs
      await reportDeath({ name: 'child', how: 'ended with code 7', code: 7, waitMs: 200 })
    }
    await reportDeath({ name: 'child', how: 'ended with code 78', code: 78, waitMs: 200 })
    t.strictSame(
      said.map(line => line.includes('its last words')),
      [true, false, false, true, true],
    )
  })

  t.test('keeps trying a program that cannot be started', async t => {
    const deaths: Death[] = []
    const child = new Supervised(
      { ...nodeSpec(''), command: ['/nowhere/program'] },
      { logs: folder(t), died: death => deaths.push(death) },
    )
    await until(() => deaths.length === 2)
    t.match(deaths[0]?.how, /could not be started/)
    await child.stop()
  })

  const readLog = (logs: string) =>
    fs.existsSync(`${logs}/child.log`) ? fs.readFileSync(`${logs}/child.log`, 'utf8') : ''
})

test('The launcher', async t => {
  const script = `import { whenNpmEnds } from ${JSON.stringify(import.meta.resolve('./parent-death.ts'))}
    setInterval(() => {}, 1e3)
    whenNpmEnds(process.env, () => process.exit())
    console.log(process.pid)`
  const launcher = [process.execPath, '--no-warnings', '--input-type=module', '-e', script]

  /** Starts a fake npm that runs a fake launcher, directly or through a shell, and ends the former alone by SIGKILL. */
  const orphan = async (t: Test, env: NodeJS.ProcessEnv, shell?: string) => {
    const command = shell === undefined ? launcher : ['sh', '-c', shell, ...launcher]
    const npm = spawn(
      process.execPath,
      [
        '-e',
        `const [program, ...args] = ${JSON.stringify(command)}
        require('child_process').spawn(program, args, { stdio: 'inherit' })`,
      ],
      { env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'pipe', 'inherit'] },
    )
    const pid = Number(String((await once(npm.stdout, 'data'))[0]))
    t.teardown(() => isAlive(pid) && process.kill(pid, 'SIGKILL'))
    await sleep(1_200)
    t.ok(isAlive(pid), 'while its parent lives, so does it')
    npm.kill('SIGKILL')
    await once(npm, 'exit')
    return pid
  }

  for (const [how, shell] of [
    ['directly', undefined],
    ['through a shell', 'npm_pid=$PPID "$0" "$@"; true'],
    ['through a program that the shell runs', 'npm_pid=$PPID sh -c \'"$0" "$@"; true\' "$0" "$@"; true'],
    ['through a shell that becomes it', 'npm_pid=$PPID exec "$0" "$@"'],
  ] as const)
    t.test(`ends with the npm that runs it ${how}`, async t => {
      const pid = await orphan(t, { npm_lifecycle_event: 'start' }, shell)
      await until(() => !isAlive(pid))
      t.pass()
    })

  t.test('ends if npm has ended before the first check', async t => {
    const gone = spawn(process.execPath, ['-e', ''])
    await once(gone, 'exit')
    const env = { ...process.env, npm_lifecycle_event: 'start', npm_pid: String(gone.pid) }
    const child = spawn(process.execPath, launcher.slice(1), { env, stdio: 'ignore' })
    t.teardown(() => child.kill('SIGKILL'))
    t.strictSame(await once(child, 'exit'), [0, null])
  })

  t.test('outlives any other parent', async t => {
    const pids = await Promise.all([orphan(t, {}), orphan(t, { npm_lifecycle_event: 'chaos' })])
    await sleep(1_200)
    t.strictSame(pids.map(isAlive), [true, true])
  })
})
