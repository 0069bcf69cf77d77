import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts } from '@tidemark/config/free-ports'
import { listening } from '@tidemark/testing/listening'
import { patient } from '@tidemark/testing/slowness'
import pg from 'pg'
import { type Test, test } from 'tap'
import { bulkySpec, streamSpecs } from '../nats/streams.ts'
import { manifestIn } from './bundle/manifest.ts'
import { programFiles, sourceFiles } from './bundle/programs.ts'
import { command } from './command.ts'
import { sizesThatFit, spaceIn } from './disk-space.ts'
import { evidenceKey } from './evidence-key.ts'
import { Instance } from './instance.ts'
import { type ProcessPlan, plansOf } from './layout.ts'
import { waitUntilReady } from './listening.ts'
import { folder, isAlive, until } from './local.examples.ts'
import { asUser, environmentOf, environmentOfAll, ownConnections } from './own-connections.ts'
import { passwordsIn } from './passwords.ts'
import { claim } from './processes/leftovers.ts'
import { openLog, rotateLog } from './processes/log-file.ts'
import { metricsOf, serviceProcess } from './processes/service-process.ts'
import { readRunFile, writeRunFile } from './run-file.ts'
import { readLaunchSettings } from './settings.ts'

test('The settings of the launcher', async t => {
  t.test('have defaults, and folders that do not depend on where npm was called', async t => {
    const settings = readLaunchSettings({})
    t.match(settings, { host: '127.0.0.1', port: 8080, processes: 'grouped', external: {} })
    t.ok(settings.dir.endsWith('/.tidemark') && settings.bin.endsWith('/.tidemark/bin'))
  })

  t.test('name every fault at once', async t => {
    const env = {
      PORT: 'x',
      PROCESSES: 'many',
      REPLICAS: 'oven=2',
      DATABASE_URL: 'mysql://x',
      NATS_URL: 'oops',
    }
    for (const name of Object.keys(env))
      t.throws(() => readLaunchSettings(env), { code: 'SETTINGS_BAD', message: new RegExp(name) })
  })

  t.test('have a port of metrics for each process', async t => {
    const message = (last: number) => new RegExp(`METRICS_PORT must be a port from 1 to ${last};`)
    for (const METRICS_PORT of ['abc', '0', '65534', '65536', '99999'])
      t.throws(() => readLaunchSettings({ METRICS_PORT }), { code: 'SETTINGS_BAD', message: message(65_533) })
    t.doesNotThrow(() => readLaunchSettings({ METRICS_PORT: '65533' }), 'three processes')
    const split = { PROCESSES: 'split', REPLICAS: 'fetcher=8' }
    const last = 65_536 - plansOf({ processes: 'split', replicas: new Map([['fetcher', 8]]) }).length
    t.throws(() => readLaunchSettings({ ...split, METRICS_PORT: String(last + 1) }), {
      message: message(last),
    })
    t.doesNotThrow(() => readLaunchSettings({ ...split, METRICS_PORT: String(last) }))
    for (const [METRICS_HOST, host] of [
      ['', '127.0.0.1'],
      ['10.0.0.1', '10.0.0.1'],
    ] as const)
      t.strictSame(metricsOf({ METRICS_PORT: '9464', METRICS_HOST }, 2), {
        metrics: `http://${host}:9466/metrics`,
      })
  })

  t.test('are rejected by a process without the launcher with all their faults', async t => {
    const { METRICS_PORT: _, NATS_URL: __, ...env } = process.env
    const args = ['--import', path.join(import.meta.dirname, '../../libs/telemetry/register-metrics.ts')]
    for (const METRICS_PORT of ['abc', '99999']) {
      const { code, output } = await command(
        process.execPath,
        [...args, path.join(import.meta.dirname, 'host.ts'), 'usage-ledger'],
        { env: { ...env, METRICS_PORT } },
      )
      t.equal(code, 78)
      t.match(output, /settings are wrong:\n(.*\n)* +METRICS_PORT must be/)
      t.match(output, / NATS_URL is missing/)
      t.notMatch(output, /\n +at /, 'no stack')
    }
  })

  t.test('name a NATS cluster by its servers, with the scheme before each or before the first', async t => {
    for (const NATS_URL of ['nats://u:p@a:1,b:2,c', 'nats://a:1,nats://b:2'])
      t.equal(readLaunchSettings({ NATS_URL }).external.nats, NATS_URL)
    for (const NATS_URL of ['nats://a:1,http://b', 'nats://a:1,b:x', 'a:1,nats://b:2'])
      t.throws(() => readLaunchSettings({ NATS_URL }), { message: /NATS_URL must be a URL/ })
  })

  t.test('make roles in the embedded Postgres, and in another where that is said', async t => {
    const DATABASE_URL = 'postgres://x@127.0.0.1:1/x'
    t.equal(readLaunchSettings({}).roles, 'made')
    t.equal(readLaunchSettings({ DATABASE_URL }).roles, 'off')
    t.equal(readLaunchSettings({ DATABASE_URL, DATABASE_ROLES: 'made' }).roles, 'made')
    t.throws(() => readLaunchSettings({ DATABASE_ROLES: 'some' }), { message: /made, given or off/ })
    const given = {
      DATABASE_URL,
      DATABASE_ROLES: 'given',
      DATABASE_URL_GATEWAY: 'postgres://g@127.0.0.1:1/x',
    }
    t.throws(() => readLaunchSettings(given), { message: /needs DATABASE_URL_PROJECTOR, .*_USAGE_LEDGER$/ })
  })

  t.test('copies of a service are one service in traces, with an instance each', async t => {
    const { processes, replicas } = readLaunchSettings({ PROCESSES: 'split', REPLICAS: 'fetcher=2' })
    const names = (plans: ProcessPlan[], given: NodeJS.ProcessEnv = {}) =>
      plans.map((plan, place) => {
        const { INSTANCE, OTEL_SERVICE_NAME } = serviceProcess(
          plan,
          place,
          sourceFiles('.'),
          () => given,
        ).env()
        return [INSTANCE, OTEL_SERVICE_NAME]
      })
    const split = plansOf({ processes, replicas })
    t.strictSame(
      names(split).filter(([instance]) => instance?.startsWith('fetcher')),
      [
        ['fetcher-1', 'fetcher'],
        ['fetcher-2', 'fetcher'],
      ],
    )
    const grouped = (text: string) => names(plansOf(readLaunchSettings({ REPLICAS: text }))).slice(1)
    t.strictSame(names(plansOf({ processes: 'grouped', replicas }))[0], ['control', 'control'])
    t.strictSame(grouped(''), [
      ['extractor-1', 'extractor'],
      ['extractor-2', 'extractor'],
    ])
    t.strictSame(grouped('extractor=1'), [['extractor', 'extractor']], 'a small machine needs one')
    t.throws(() => grouped('extractor=3,fetcher=2'), { message: /REPLICAS of fetcher needs PROCESSES=split/ })
    t.strictSame(names(split.slice(0, 1), { OTEL_SERVICE_NAME: 'ours' }), [['gateway', 'ours']])
  })

  t.test('the heap of NODE_OPTIONS replaces that of each process', async t => {
    const { replicas } = readLaunchSettings({ PROCESSES: 'split' })
    for (const [NODE_OPTIONS, heap] of [
      ['', '--max-old-space-size=512'],
      ['--enable-source-maps', '--max-old-space-size=512'],
      ['--max_old_space_size=900', undefined],
      ['--enable-source-maps --max-old-space-size=900', undefined],
    ] as const) {
      const [gateway] = plansOf({ processes: 'split', replicas })
      if (gateway === undefined) throw new Error('there is no gateway')
      const { command } = serviceProcess(gateway, 0, sourceFiles('.'), () => ({ NODE_OPTIONS }))
      t.equal(
        command.find(word => /max.old/.test(word)),
        heap,
        NODE_OPTIONS,
      )
    }
  })
})

test('The passwords of an installation are derived from a whole key only', async t => {
  const dir = t.testdir()
  const first = passwordsIn(dir)('operator')
  t.match(first, /^[0-9a-f]{64}$/)
  t.equal(passwordsIn(dir)('operator'), first, 'the key is created once')
  t.equal(fs.statSync(`${dir}/passwords.key`).mode & 0o777, 0o600)
  for (const text of ['', '\n', 'abc', `${'a'.repeat(63)}\n`]) {
    fs.writeFileSync(`${dir}/passwords.key`, text)
    t.throws(() => passwordsIn(dir), { code: 'SETTINGS_BAD', message: /contains no key of 64 hex digits/ })
  }
})

test('The key of evidence is created once, and an empty file is rejected', async t => {
  const dir = t.testdir()
  const first = evidenceKey(dir, {})
  t.equal(evidenceKey(dir, {}), first)
  t.equal(evidenceKey(dir, { EVIDENCE_KEY: 'own' }), 'own')
  fs.writeFileSync(`${dir}/evidence.key`, '\n')
  t.throws(() => evidenceKey(dir, {}), { code: 'SETTINGS_BAD', message: /evidence\.key is empty/ })
})

test('Of two starts at the same time one claims a folder', async t => {
  const dir = t.testdir({ 'launcher.lock': '1 1' })
  const lock = `${dir}/launcher.lock`
  const startOf = (pid: number) =>
    fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19]
  const other = `${process.ppid} ${startOf(process.ppid)}`
  const { readFileSync } = fs
  t.teardown(() => Object.assign(fs, { readFileSync }))
  Object.assign(fs, {
    readFileSync(file: string, encoding: 'utf8') {
      const text = readFileSync(file, encoding)
      // The other start takes the folder after this one has found it free.
      if (text === '1 1') fs.writeFileSync(lock, other)
      return text
    },
  })
  t.throws(() => claim(dir), { code: 'ALREADY_RUNNING' })
  Object.assign(fs, { readFileSync })
  t.equal(fs.readFileSync(lock, 'utf8'), other)
  t.throws(() => claim(dir), { code: 'ALREADY_RUNNING' })
  fs.writeFileSync(lock, '1 1')
  claim(dir)
  claim(dir)
  t.match(fs.readFileSync(lock, 'utf8'), new RegExp(`^${process.pid} `))
  t.strictSame(fs.readdirSync(dir), ['launcher.lock'])
})

test('The connections of a service', async t => {
  const env = {
    HOME: '/x',
    DATABASE_URL: 'postgres://owner:o@h/d',
    NATS_URL: 'nats://h',
    ...ownConnections('DATABASE_URL', 'postgres://owner:o@h:1/d?sslmode=require', [
      { service: 'gateway', user: 'tidemark_gateway', password: 'g' },
      { service: 'usage-ledger', user: 'tidemark_usage_ledger', password: 'l' },
    ]),
  }
  const ofProcess = environmentOfAll(['gateway', 'fetcher'], env)
  t.strictSame(ofProcess, {
    HOME: '/x',
    NATS_URL: 'nats://h',
    DATABASE_URL_GATEWAY: 'postgres://tidemark_gateway:g@h:1/d?sslmode=require',
  })
  const { DATABASE_URL_GATEWAY: DATABASE_URL, ...rest } = ofProcess
  t.strictSame(environmentOf('gateway', ofProcess), { ...rest, DATABASE_URL }, 'are its own')
  t.strictSame(environmentOf('fetcher', ofProcess), rest, 'and no other’s')
  const shared = { NATS_URL: 'nats://h', DATABASE_URL: 'postgres://all@h/d' }
  t.strictSame(environmentOf('gateway', environmentOfAll(['gateway'], shared)), shared, 'or those of all')

  const keys = { ADMIN_KEY: 'operator', EVIDENCE_KEY: 'signs', EVIDENCE_KEYS_OLD: 'signed' }
  t.strictSame(environmentOfAll(['gateway', 'fetcher'], keys), keys, 'the gateway has its keys')
  t.strictSame(environmentOfAll(['extractor'], keys), {}, 'and no other process')

  const cluster = ['nats://n-0.nats:4222,n-1.nats:4222', 'nats://x:y@n-0.nats:4222,nats://x:y@n-1.nats:4222']
  for (const url of cluster)
    t.equal(asUser(url, 'me', 'p/w'), 'nats://me:p%2Fw@n-0.nats:4222,n-1.nats:4222', 'at all servers')
  t.equal(asUser('postgres://o:p,w@h:5/d?x=1,2', 'me', 'w'), 'postgres://me:w@h:5/d?x=1,2')
})

test('The space on the disk', async t => {
  const GB = 1024 ** 3
  const sum = (env: NodeJS.ProcessEnv) =>
    [...streamSpecs(env), bulkySpec(env)].reduce((sum, { max_bytes }) => sum + max_bytes, 0)
  t.strictSame(sizesThatFit({}, { free: 40 * GB, ofStreams: 0 }), {}, 'changes nothing if it is enough')
  t.strictSame(sizesThatFit({}, { free: 10 * GB, ofStreams: 19 * GB }), {}, 'also where the streams have it')
  const small = sizesThatFit({ STREAM_RUNS_BYTES: String(GB) }, { free: 9 * GB, ofStreams: GB })
  t.equal(small.STREAM_RUNS_BYTES, undefined, 'explicit settings stay')
  const all = sum({ STREAM_RUNS_BYTES: String(GB), ...small })
  t.ok(all <= 8 * GB && all > 7 * GB, `${all}`)
  const refusal = { code: 'DISK_SMALL', message: /1\.0 GB are free .* 2\.0 GB are needed/ }
  t.throws(() => sizesThatFit({}, { free: GB, ofStreams: 0 }), refusal)
  t.throws(() => sizesThatFit({ STREAM_RUNS_BYTES: String(9 * GB) }, { free: 5 * GB, ofStreams: 0 }), {
    message: /STREAM_<NAME>_BYTES/,
  })
  const dir = folder(t)
  fs.mkdirSync(`${dir}/data/nats/jetstream`, { recursive: true })
  fs.writeFileSync(`${dir}/data/nats/jetstream/block`, 'x'.repeat(5_000))
  const runs = `${dir}/data/nats/jetstream/$G/streams/RUNS/msgs`
  fs.mkdirSync(runs, { recursive: true })
  fs.writeFileSync(`${runs}/1.blk`, 'x'.repeat(3_000))
  t.match(spaceIn(dir), { free: Number, ofStreams: 8_000, held: { RUNS: 3_000 } })

  const full = { free: 7 * GB, ofStreams: 5.25 * GB, held: { RUNS: 5 * GB, DEAD: GB / 4 } }
  const fitting = sizesThatFit({}, full)
  t.ok(Number(fitting.STREAM_RUNS_BYTES) > 5.2 * GB, 'no stream is made smaller than what it holds')
  t.ok(Number(fitting.STREAM_DEAD_BYTES) > GB / 4)
  t.ok(sum(fitting) <= 0.8 * 12.25 * GB)
  for (const [name, bytes] of Object.entries(full.held))
    t.ok(
      bytes < 0.9 * Number(Reflect.get(fitting, `STREAM_${name}_BYTES`)),
      `${name} is not nearly full then`,
    )
  t.throws(() => sizesThatFit({}, { free: 0.5 * GB, ofStreams: 8 * GB, held: { RUNS: 8 * GB } }), {
    message: /0\.5 GB are free/,
  })
})

test('Ports for servers', async t => {
  t.test('are all different, and none that the system gives to an outgoing connection meanwhile', async t => {
    const [first = 0, last = 0] = fs
      .readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8')
      .split('\t')
      .map(Number)
    const ports = await freePorts(200)
    t.equal(new Set(ports).size, 200)
    t.same(
      ports.filter(port => port >= first && port <= last),
      [],
    )
  })

  t.test('are given to one process only, before a server listens', async t => {
    const script = `
      import { freePorts } from ${JSON.stringify(import.meta.resolve('@tidemark/config/free-ports'))}
      console.log(JSON.stringify(await freePorts(1_000)))
      await new Promise(resolve => process.stdin.resume().once('end', resolve))
    `
    const other = spawn(process.execPath, ['--input-type=module', '-e', script])
    t.teardown(() => other.kill())
    const [line] = await once(createInterface({ input: other.stdout }), 'line')
    const theirs = new Set<number>(JSON.parse(line))
    const ours = await freePorts(500)
    t.strictSame(
      ours.filter(port => theirs.has(port)),
      [],
    )
    other.stdin.end()
    t.strictSame(await once(other, 'exit'), [0, null], 'claims keep no process alive')
  })
})

test('The wait until all is ready', async t => {
  let status = 503
  let text = JSON.stringify({ error: { message: 'Not ready: RUNS is full.' } })
  const server = http.createServer((_, response) => response.writeHead(status).end(text))
  const { url: base, close } = await listening(server)
  const said: string[] = []
  const waiting = { stopped: () => false, report: (line: string) => void said.push(line), patienceMs: 60 }

  let isOver = false
  const ready = waitUntilReady(base, waiting).then(() => {
    isOver = true
  })
  await until(() => said.length === 1)
  t.match(
    said[0],
    /^Not ready: RUNS is full\. The other services run; http.*\/v1\/ready/,
    'says what is wrong',
  )
  await sleep(1_200)
  t.equal(said.length, 1, 'once')
  t.equal(isOver, false)
  status = 200
  text = 'ready'
  await ready
  t.equal(said.length, 1)

  await close()
  await t.rejects(waitUntilReady(base, waiting), { code: 'NOT_READY' }, 'ends if nothing listens')
  await waitUntilReady(base, { ...waiting, stopped: () => true })
})

test('A log that has grown large is turned while it is written to', async t => {
  const file = `${folder(t)}/child.log`
  const log = openLog(file)
  fs.writeSync(log, 'first\n')
  await rotateLog(file, 100)
  t.equal(fs.readFileSync(file, 'utf8'), 'first\n')
  await rotateLog(file, 5)
  fs.writeSync(log, 'second\n')
  fs.closeSync(log)
  t.strictSame([fs.readFileSync(file, 'utf8'), fs.readFileSync(`${file}.1`, 'utf8')], ['second\n', 'first\n'])
})

test('The output of a command has whole characters, wherever its parts end', async t => {
  const text = `a${'ü'.repeat(100_000)}`
  const program = `process.stdout.write('a' + 'ü'.repeat(100_000))`
  t.ok((await command(process.execPath, ['-e', program])).output === text)
})

test('The bundle of the services', async t => {
  const root = folder(t)
  const [dir, source] = [path.join(root, 'built'), path.join(root, 'source.ts')]
  fs.mkdirSync(dir)
  fs.writeFileSync(source, '')
  fs.mkdirSync(path.dirname(manifestIn(root)), { recursive: true })
  const inputs = [[source, fs.statSync(source).mtimeMs]]
  fs.writeFileSync(manifestIn(root), JSON.stringify({ dir, inputs }))
  const said: string[] = []
  const hostOf = async (isBundled: boolean) =>
    (await programFiles(root, isBundled, line => said.push(line))).host

  t.equal(await hostOf(true), path.join(dir, 'host.mjs'), 'is used as long as no source changes')
  t.equal(await hostOf(false), sourceFiles(root).host, 'is left alone if the sources are to run')
  t.strictSame(said, [])
  fs.utimesSync(source, 1, 1)
  t.equal(await hostOf(true), sourceFiles(root).host, 'is stale after a change; without one, the sources run')
  t.match(said, [/^The sources run unbundled/])
})

/** Replaces host.ts: waits for its release, then answers like the gateway. */
const fakeHost = `
  process.on('disconnect', () => process.exit(1))
  process.on('SIGTERM', () => process.exit(0))
  if (process.env.FAULTS) { console.error('2 settings are wrong:\\n  ' + process.env.FAULTS); process.exit(78) }
  process.on('message', said => { if (said !== 'go') over = said })
  let over = null
  process.once('message', () => {
    if (!process.argv.includes('gateway')) return
    const said = { nats: process.env.NATS_URL, extra: process.env.SAMPLE_ORIGIN, instance: process.env.INSTANCE }
    require('http').createServer((_, response) => response.end(JSON.stringify({ ...said, ...(over && { over }) }))).listen(process.env.PORT, process.env.HOST)
  })
  setInterval(() => {}, 1000)`
/** Fails if it has a message to print, and on the first run of its job. */
const fakePrepare = `process.once('message', () => {
  const job = process.argv.slice(2).join(' ')
  const jobs = __dirname + '/jobs'
  const isNew = !require('fs').existsSync(jobs) || !require('fs').readFileSync(jobs, 'utf8').includes('<' + job + '>')
  require('fs').appendFileSync(jobs, '<' + job + '>')
  const text = process.env.SAY ?? (job && isNew ? 'not ready' : '')
  console.log(text)
  process.exit(text ? 1 : 0)
})`

function fakeInstance(t: Test, dir: string, env: NodeJS.ProcessEnv) {
  const files = folder(t)
  fs.writeFileSync(`${files}/host.ts`, fakeHost)
  fs.writeFileSync(`${files}/prepare.ts`, fakePrepare)
  fs.writeFileSync(`${files}/package.json`, '{"type":"commonjs"}')
  const programs = {
    ...sourceFiles(files),
    host: `${files}/host.ts`,
    prepare: `${files}/prepare.ts`,
    plans: [
      {
        name: 'control',
        services: ['gateway', 'fetcher'],
        flags: ['--max-semi-space-size=4', '--min-semi-space-size=4'],
      },
      {
        name: 'extractor-1',
        services: ['extractor'],
        flags: ['--max-semi-space-size=4', '--min-semi-space-size=4'],
      },
    ],
  }
  const said: string[] = []
  const settings = readLaunchSettings({ TIDEMARK_BIN: testBin(), ...env, TIDEMARK_DIR: dir, PORT: '0' })
  const instance = new Instance({
    settings,
    programs,
    env: { ...process.env, ...env },
    report: line => said.push(line),
  })
  /** The arguments of the job before the services, each run in brackets. */
  const jobs = () => fs.readFileSync(`${files}/jobs`, 'utf8')
  return { instance, said, settings, programs, jobs }
}

const testBin = () =>
  process.env.TEST_NATS_BIN?.replace(/\/[^/]+\/usr\/.*$/, '') ?? `${os.tmpdir()}/tidemark-test-bin`

const external = {
  DATABASE_URL: 'postgres://x@127.0.0.1:1/x',
  NATS_URL: 'nats://127.0.0.1:1',
  REDIS_URL: 'redis://127.0.0.1:1',
}

test('An instance on servers of others', async t => {
  t.test('starts none of its own, says so in run.json, and follows a killed process', async t => {
    const dir = folder(t)
    const { instance, said } = fakeInstance(t, dir, external)
    instance.extra = { SAMPLE_ORIGIN: '127.0.0.1:7' }
    await instance.start()
    const run = readRunFile(dir)
    t.match(run, {
      base_url: instance.baseUrl,
      pid: process.pid,
      postgres: { url: external.DATABASE_URL, pid: null },
      nats: { url: external.NATS_URL, pid: null },
      redis: { url: external.REDIS_URL, pid: null },
      processes: [{ services: ['gateway', 'fetcher'] }, { services: ['extractor'] }],
    })
    t.strictSame(await ask(instance), { nats: external.NATS_URL, extra: '127.0.0.1:7', instance: 'control' })

    t.equal(fs.statSync(`${dir}/run.json`).mode & 0o777, 0o600, 'which others may not read')
    instance.endSample()
    let over: unknown
    for (let tries = 0; tries < 100 && over === undefined; tries++) {
      over = Object(await ask(instance)).over
      await sleep(20)
    }
    t.equal(over, 'sample is over', 'and the running processes are notified')
    const killed = run?.processes[0]?.pid ?? 0
    process.kill(killed, 'SIGKILL')
    const next = await until(() =>
      readRunFile(dir)?.processes.find(({ pid }) => pid && pid !== killed && pid !== run?.processes[1]?.pid),
    )
    t.match(next.services, ['gateway', 'fetcher'])
    t.match(said.join('\n'), /control was ended by SIGKILL; starting it again in 0.2 s/)
    t.strictSame(await ask(instance), { nats: external.NATS_URL, instance: 'control' })

    const noted = fs
      .readFileSync(`${dir}/logs/launcher.log`, 'utf8')
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
      .filter(({ process }) => process === 'control')
    t.match(noted, [
      { time: /^\d{4}-.*Z$/, level: 'info', msg: 'started', pid: killed },
      { time: /^\d{4}-.*Z$/, level: 'warn', msg: 'was ended by SIGKILL', wait_ms: 200 },
      { level: 'info', msg: 'started', pid: next.pid },
    ])
    t.equal(noted.length, 3)

    await instance.stop()
    t.equal(readRunFile(dir), null)
    for (const pid of [next.pid, run?.processes[1]?.pid]) t.notOk(isAlive(pid ?? 0))
  })

  t.test('does not begin on a folder that another launcher serves, and leaves that one alone', async t => {
    const dir = folder(t)
    const pid = process.ppid
    const started = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19]
    fs.writeFileSync(`${dir}/launcher.lock`, `${pid} ${started}`)
    const { instance } = fakeInstance(t, dir, external)
    await t.rejects(instance.start(), { code: 'ALREADY_RUNNING', message: /TIDEMARK_DIR/ })
    await instance.stop()
    t.ok(fs.existsSync(`${dir}/launcher.lock`))
  })

  t.test('gives up with every fault when services refuse their settings', async t => {
    const { instance } = fakeInstance(t, folder(t), {
      ...external,
      FAULTS: 'A is missing\n  B is wrong',
    })
    await t.rejects(instance.start(), { code: 'SETTINGS_BAD', message: /A is missing\n {2}B is wrong$/ })
    await instance.stop()
  })

  t.test('prints the log of a service that rejects its settings after the start', async t => {
    const dir = folder(t)
    const { instance, said } = fakeInstance(t, dir, external)
    await instance.start()
    instance.extra = { FAULTS: 'A is wrong' }
    process.kill(readRunFile(dir)?.processes[0]?.pid ?? 0, 'SIGKILL')
    await until(() => /control ended with code 78; .*\n(.*\n)*.*A is wrong/.test(said.join('\n')))
    await instance.stop()
  })

  t.test('gives up with the words of the job that prepares when that fails', async t => {
    const { instance } = fakeInstance(t, folder(t), {
      ...external,
      SAY: 'migration 7 is broken',
    })
    await t.rejects(instance.start(), { code: 'PREPARE_FAILED', message: /migration 7 is broken/ })
    await instance.stop()
  })

  t.test('gives up with its log on a server that cannot run', async t => {
    const { instance } = fakeInstance(t, folder(t), {
      ...external,
      NATS_URL: '',
      NATS_MAX_FILE_STORE: 'nonsense!',
    })
    await t.rejects(instance.start(), { code: 'SERVER_FAILED', message: /nats.*ends with:\n.*nats.conf/s })
    await instance.stop()
  })

  t.test('says which port is taken', async t => {
    await using server = await listening(http.createServer())
    const { instance, settings } = fakeInstance(t, folder(t), external)
    settings.port = server.port
    await t.rejects(instance.start(), { code: 'PORT_TAKEN', message: /Set PORT/ })
    await instance.stop()
  })

  const ask = ({ baseUrl }: Instance) => untilAnswer(baseUrl)
})

async function untilAnswer(url: string): Promise<unknown> {
  for (let tries = 0; ; tries++) {
    try {
      return await (await fetch(url)).json()
    } catch (error) {
      if (tries === 500) throw error
      await sleep(20)
    }
  }
}

/** Postgres' answer to this user. */
async function comesIn(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  try {
    await client.connect()
    return 'comes in'
  } catch (error) {
    return (error as Error).message
  } finally {
    await client.end()
  }
}

const portOf = (dir: string) => `:${new URL(readRunFile(dir)?.postgres.url ?? '').port}/`

const launchElsewhere = `
  const { Instance } = await import(${JSON.stringify(new URL('instance.ts', import.meta.url).href)})
  const instance = new Instance({ ...JSON.parse(process.env.OPTIONS), env: process.env, report: () => {} })
  await instance.start()
  console.log('up')`

test('An instance with its own servers', { timeout: patient(300_000) }, async t => {
  const dir = folder(t)

  t.test('brings each server back on its port and data, and stops without leaving a process', async t => {
    const { instance, jobs, said } = fakeInstance(t, dir, {})
    await instance.start()
    t.equal(jobs(), '<>')
    const run = readRunFile(dir)
    if (run === null) throw new Error('there is no run.json')
    t.match(await comesIn(run.postgres.url.replace(/:[0-9a-f]{64}@/, '@')), /password/)
    t.equal(await comesIn(run.postgres.url), 'comes in')
    for (const file of ['passwords.key', 'data/nats/nats.conf', 'run.json'])
      t.equal(fs.statSync(`${dir}/${file}`).mode & 0o777, 0o600, file)
    const pids = new Set<number>()
    for (const name of ['postgres', 'nats', 'redis'] as const) {
      const pid = run[name].pid ?? 0
      pids.add(pid)
      process.kill(pid, 'SIGKILL')
      const next = await until(() => {
        const now = readRunFile(dir)?.[name]
        return now?.pid && now.pid !== pid ? now : null
      })
      t.equal(next.url, run[name].url)
      pids.add(next.pid ?? 0)
    }
    for (const { pid } of run.processes) pids.add(pid ?? 0)
    await until(() => jobs() === '<><streams><streams>')
    t.match(said.join('\n'), /prepare.log ends with:\nnot ready/, 'streams are declared until they are')
    await instance.stop()
    t.strictSame([...pids].filter(isAlive), [])
    t.ok(fs.existsSync(`${dir}/data/postgres/PG_VERSION`) && fs.existsSync(`${dir}/data/nats/jetstream`))
  })

  t.test('leaves no process behind when its launcher is killed', async t => {
    const { settings, programs } = fakeInstance(t, dir, {})
    const launcher = spawn(process.execPath, ['--input-type=module', '-e', launchElsewhere], {
      env: { ...process.env, OPTIONS: JSON.stringify({ settings, programs }) },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(launcher.stdout, 'data')
    const run = readRunFile(dir)
    launcher.kill('SIGKILL')
    const all = [run?.postgres, run?.nats, run?.redis, ...(run?.processes ?? [])].map(
      process => process?.pid ?? 0,
    )
    t.equal(all.length, 5)
    for (const pid of all) await until(() => !isAlive(pid))
  })

  t.test('stops what was left behind on its folder all the same, and nothing else', async t => {
    const sleeper = ['-e', 'setInterval(() => {}, 1000)']
    const ours = spawn(process.execPath, [...sleeper, `${dir}/data/nats/nats.conf`])
    const foreign = spawn(process.execPath, [...sleeper, `${dir}-other/data/nats/nats.conf`])
    const run = readRunFile(dir)
    if (run === null) throw new Error('a killed launcher leaves run.json')
    run.nats.pid = ours.pid ?? null
    run.redis.pid = foreign.pid ?? null
    writeRunFile(dir, run)

    fs.rmSync(`${dir}/passwords.key`)
    const { instance, said } = fakeInstance(t, dir, {})
    await instance.start()
    t.match(await comesIn(`${run.postgres.url}`.replace(/:\d+\//, portOf(dir))), /password/)
    t.equal(await comesIn(readRunFile(dir)?.postgres.url ?? ''), 'comes in', 'with another password')
    t.match(said[0], /Stopping 1 processes that an earlier start left behind/)
    t.notOk(isAlive(ours.pid ?? 0))
    t.ok(isAlive(foreign.pid ?? 0))
    await instance.stop()
    foreign.kill()
  })
})
