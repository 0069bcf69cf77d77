import { spawn } from 'node:child_process'
import { once } from 'node:events'
import os from 'node:os'
import { test } from 'tap'
import { Type } from 'typebox'
import { nameServerFault, rangeFault } from './addresses.ts'
import { connectionSettings, egressSettings } from './connections.ts'
import { readSettings, SettingsError, variableOf } from './settings.ts'

const schema = Type.Object({
  port: Type.Integer({ default: 8080, minimum: 1, maximum: 65_535, description: 'where to listen' }),
  databaseUrl: Type.String({ minLength: 1, description: 'the database' }),
  egressAllow: Type.Array(Type.String({ pattern: '^[0-9a-f.:]+/\\d+$' }), { default: [] }),
  isQuiet: Type.Boolean({ default: false }),
  apiProfile: Type.Union([Type.Literal('narrative'), Type.Literal('openapi')], { default: 'narrative' }),
  smtpHost: Type.Optional(Type.String()),
})

test('Settings', async t => {
  t.test('are the converted variables, and defaults for the others', async t => {
    const env = {
      DATABASE_URL: 'postgres://x',
      EGRESS_ALLOW: '127.0.0.0/8, ::1/128,',
      IS_QUIET: '1',
      OTHER: 'ignored',
      PORT: '',
    }
    t.strictSame(readSettings(schema, env), {
      port: 8080,
      databaseUrl: 'postgres://x',
      egressAllow: ['127.0.0.0/8', '::1/128'],
      isQuiet: true,
      apiProfile: 'narrative',
    })
  })

  t.test('have separate defaults for each reader', async t => {
    const first = readSettings(schema, { DATABASE_URL: 'x' })
    first.egressAllow.push('changed')
    t.strictSame(readSettings(schema, { DATABASE_URL: 'x' }).egressAllow, [])
  })

  t.test('name every fault at once, without repeating possible secrets', async t => {
    const env = { PORT: '99999', EGRESS_ALLOW: '10.0.0.0/8,oops', IS_QUIET: 'maybe', API_PROFILE: 'secret' }
    try {
      readSettings(schema, env)
      t.fail('it must throw')
    } catch (error) {
      t.ok(error instanceof SettingsError)
      const { faults, message, code } = error as SettingsError
      t.equal(code, 'SETTINGS_BAD')
      t.strictSame(faults, [
        'PORT must be <= 65535 (where to listen)',
        'DATABASE_URL is missing (the database)',
        'EGRESS_ALLOW must match pattern "^[0-9a-f.:]+/\\d+$" at item 2',
        'IS_QUIET must be boolean',
        'API_PROFILE must be one of narrative, openapi',
      ])
      t.match(message, /^5 settings are wrong:/)
      t.notMatch(message, /secret|oops/)
    }
  })

  t.test('are checked by functions too, if a type is not enough', async t => {
    const { INSTANCE } = connectionSettings
    const env = {
      INSTANCE: 'me',
      EGRESS_ALLOW: '10.0.0.0/8,::1,10.0.0.0/33',
      DNS_SERVERS: '9.9.9.9:53,localhost',
      LOG_LEVEL: 'loud',
      EVENT_LOOP_STALL_MS: 'x',
    }
    try {
      readSettings(Type.Object({ ...egressSettings, INSTANCE }), env)
      t.fail('it must throw')
    } catch (error) {
      t.match((error as SettingsError).faults, [
        /^EGRESS_ALLOW must be an address range such as .* at item 3 \(CIDRs/,
        /^DNS_SERVERS must be the address of a name server .* at item 2/,
        /^LOG_LEVEL must be one of fatal, .*info/,
        /^EVENT_LOOP_STALL_MS must be number/,
      ])
    }
    const right = {
      EGRESS_ALLOW: '10.0.0.0/8,fd00::/8,127.0.0.1',
      DNS_SERVERS: '9.9.9.9,10.0.0.2:5353,2620:fe::fe,[2620:fe::fe]:53',
      LOG_LEVEL: 'debug',
      EVENT_LOOP_STALL_MS: '20',
    }
    const settings = readSettings(Type.Object({ ...egressSettings, INSTANCE }), right)
    t.match(settings, { EGRESS_ALLOW: { length: 3 }, DNS_SERVERS: { length: 4 } })
    t.equal(settings.INSTANCE, `${os.hostname()}-${process.pid}`, 'and each process has its own name')
    for (const wrong of ['', 'ten', '10.1/8', '10.0.0.0/8/8', '1.1.1.1/x', 'fd00::/129', '1.1.1.1/'])
      t.type(rangeFault(wrong), 'string', wrong)
    for (const wrong of ['', 'dns.test', '9.9.9.9:0', '9.9.9.9:70000', '[9.9.9.9]:53', '1.2.3'])
      t.type(nameServerFault(wrong), 'string', wrong)
  })

  t.test('have names of environment variables, in either spelling of the schema', async t => {
    t.strictSame(['port', 'databaseUrl', 'DATABASE_URL', 's3Bucket'].map(variableOf), [
      'PORT',
      'DATABASE_URL',
      'DATABASE_URL',
      'S3_BUCKET',
    ])
  })
})

test('The process of a service', async t => {
  t.test('disposes everything and ends with 0 when it receives a signal', async t => {
    const child = run(`async (env, signal) => {
      setInterval(() => {}, 1000)
      console.log('up')
      return { async [Symbol.asyncDispose]() { console.log(signal.aborted ? 'put back' : 'too early') } }
    }`)
    await once(child.stdout, 'data')
    child.kill('SIGTERM')
    t.strictSame(await child.ended, { code: 0, output: 'up\nput back\n' })
  })

  t.test('ends with 0 when it is stopped during its start', async t => {
    const child = run(`async (env, signal) => {
      console.log('starting')
      await (await import('node:timers/promises')).setTimeout(60_000, null, { signal })
    }`)
    await once(child.stdout, 'data')
    child.kill('SIGINT')
    t.strictSame(await child.ended, { code: 0, output: 'starting\n' })
  })

  t.test('logs its start, the signal that stops it, and its end', async t => {
    const log = `{ info: ({ by, drain_ms }, says) => console.log(...[says, by, drain_ms].filter(word => word !== undefined)) }`
    const child = run(
      `async () => {
      setInterval(() => {}, 1000)
      return { async [Symbol.asyncDispose]() { console.log('put back') } }
    }`,
      log,
    )
    await once(child.stdout, 'data')
    child.kill('SIGTERM')
    t.strictSame(await child.ended, { code: 0, output: 'started\nstopping SIGTERM 0\nput back\nstopped\n' })
  })

  t.test('ends with 78 and the faults alone when its settings are wrong', async t => {
    const child = run(`async () => { throw new SettingsError(['PORT is missing']) }`)
    t.strictSame(await child.ended, { code: 78, output: 'A setting is wrong:\n  PORT is missing\n' })
  })

  t.test('ends with 1 when it cannot start', async t => {
    const { code, output } = await run(`async () => { throw new Error('no way') }`).ended
    t.equal(code, 1)
    t.match(output, /Error: no way\n.* at /)
  })
})

function run(start: string, log = '{ info() {} }') {
  const here = JSON.stringify(new URL('.', import.meta.url).href)
  const script = `
    const { runProcess } = await import(${here} + 'process.ts')
    const { SettingsError } = await import(${here} + 'settings.ts')
    await runProcess(${start}, ${log})`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script])
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', data => (output += data))
  const ended = once(child, 'close').then(([code]) => ({ code, output }))
  return Object.assign(child, { ended })
}
