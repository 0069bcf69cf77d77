/** Backups of servers that the environment names; `test/e2e/backup.test.ts` has those of a whole system. */
import fs from 'node:fs'
import path from 'node:path'
import { migrate } from '@tidemark/db/migrate'
import { database } from '@tidemark/gateway/database'
import { nameOfKey } from '@tidemark/secrets/seal'
import { freshDatabase, throwawayNats } from '@tidemark/testing/servers'
import { surroundings } from '@tidemark/testing/surroundings'
import { type Test, test } from 'tap'
import { databases } from '../local/entries.ts'
import { secretKeys, writeKeyFile } from '../local/secrets-key.ts'
import { declareStreams } from '../nats/declare.ts'
import { run as backup } from './backup.ts'
import { run as restore } from './restore.ts'

const key = 'ab'.repeat(32)
const other = 'cd'.repeat(32)

/** Names servers and a key in the environment of this process until the end of the test. */
function nameInEnvironment(t: Test, env: NodeJS.ProcessEnv): void {
  const before = Object.keys(env).map(name => [name, process.env[name]] as const)
  t.teardown(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  })
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
}

test('A backup of servers that the environment names', async t => {
  const { env } = await surroundings(t, { database, declare: declareStreams })
  for (const database of await databases()) await migrate(env.DATABASE_URL, database)
  nameInEnvironment(t, env)
  const lines: string[] = []
  const print = (line: string) => void lines.push(line)
  const save = (name: string, dir: string, ...more: string[]) =>
    backup(['--to', path.join(dir, name), ...more], dir, print)

  await t.test('names the key of SECRETS_KEY, else that of the folder, else warns', async t => {
    const empty = t.testdir()
    nameInEnvironment(t, { SECRETS_KEY: key })
    const named = await save('named', empty)
    t.equal(named.secrets_key, nameOfKey(key))
    t.strictSame(named.keys, [])
    t.notOk(named.warning)
    nameInEnvironment(t, { SECRETS_KEY: '' })
    t.match(await save('nameless', empty), {
      secrets_key: null,
      warning: /set SECRETS_KEY as for the services/,
    })
    writeKeyFile(empty, [other, key])
    t.match(await save('from-file', empty), { secrets_key: nameOfKey(other) })
    nameInEnvironment(t, { SECRETS_KEY: 'short' })
    await t.rejects(save('wrong', empty), { name: 'AdminError', message: /must be 32 bytes in hex/ })
  })

  await t.test('lists the saved keys, and is rejected if the wanted key is not there', async t => {
    const dir = t.testdir({ 'evidence.key': 'seed\n' })
    const refusal = {
      name: 'AdminError',
      message: /no secrets\.key in .+ in TIDEMARK_DIR\. .+ leave out --with-keys/,
    }
    await t.rejects(save('none', dir, '--with-keys'), refusal)
    t.notOk(fs.existsSync(path.join(dir, 'none')), 'before anything is written')
    writeKeyFile(dir, [other])
    t.match(await save('both', dir, '--with-keys'), { keys: ['secrets.key', 'evidence.key'] })
    nameInEnvironment(t, { SECRETS_KEY: key })
    await t.rejects(save('another', dir, '--with-keys'), {
      name: 'AdminError',
      message: new RegExp(`no secrets\\.key in .+ with the key ${nameOfKey(key)}`),
    })
  })

  await t.test('is restored with its key, and not started with another one', async t => {
    const dir = t.testdir({ target: {} })
    const target = path.join(dir, 'target')
    nameInEnvironment(t, { SECRETS_KEY: key })
    await save('saved', dir)
    nameInEnvironment(t, await emptyServers(t))
    t.match(await restore(['--from', path.join(dir, 'saved')], target, print), { ok: true }, lines.join('\n'))
    t.match(lines.join('\n'), new RegExp(`needs the key ${nameOfKey(key)}`))
    t.throws(() => secretKeys(target, {}, print), { code: 'SETTINGS_BAD' })
    t.match(secretKeys(target, { SECRETS_KEY: key }, print), { SECRETS_KEY: key })
  })
})

async function emptyServers(t: Test): Promise<{ NATS_URL: string; DATABASE_URL: string }> {
  const [database, nats] = await Promise.all([freshDatabase(), throwawayNats()])
  t.teardown(() => database.drop())
  t.teardown(() => nats.stop())
  return { NATS_URL: nats.url, DATABASE_URL: database.url }
}
