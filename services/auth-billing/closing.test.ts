/** Closes accounts with a real bus and database: the personal data of the account is deleted, and no other data. */
import { call } from '@tidemark/bus/rpc'
import * as accountsRpc from '@tidemark/contracts/rpc/accounts'
import * as forgetRpc from '@tidemark/contracts/rpc/forget'
import { streams, subjects } from '@tidemark/contracts/subjects'
import { declareStreams } from '@tidemark/deploy/nats/declare'
import { surroundings } from '@tidemark/testing/surroundings'
import { until, untilResolves } from '@tidemark/testing/until'
import { test } from 'tap'
import { database } from './database.ts'
import { startService } from './service.ts'
import { completed, strangers, webhookSecret } from './signup.scene.ts'

const email = 'one@example.com'
const limit = { timeoutMs: 20_000 }

test('Closing an account', async t => {
  const { env, bus, pool, stack } = await surroundings(t, { database, declare: declareStreams })
  const settings = {
    SECRETS_KEY: '0'.repeat(64),
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    SIGNUPS_PER_ADDRESS: '50',
  }
  stack.use(await startService({ ...env, ...settings }, new AbortController().signal))
  const { signUp, pay } = strangers(bus)
  const close = (name: string) => call(bus, forgetRpc.closeAccount, { name }, limit)
  const addresses = async () =>
    (
      await pool.query(
        `select 'mail ' || subject as source from account.mail where recipient = $1
         union all select 'intent ' || project_name from account.intent where email = $1
         union all select 'billing ' || name from account.billing join account.project on id = project_id
           where email = $1 order by 1`,
        [email],
      )
    ).rows.map(({ source }) => source)
  const keyOf = async (prefix = '') => (await call(bus, accountsRpc.findKey, { prefix }, limit)).key

  await untilResolves(() => signUp('first', { email }))
  const other = await signUp('second', { email })
  const { intent_id } = await signUp('paid', { email, tier: 'pro' })
  await pay(completed(intent_id ?? 0))
  const proxyUrl = 'http://u:secret@127.1.0.9:9'
  await call(bus, accountsRpc.setProject, { name: 'first', proxyUrl }, limit)
  t.equal((await addresses()).length, 7)

  await t.test('revokes its keys, and deletes its proxy and its addresses', async t => {
    const { projectId, ...closed } = await close('first')
    t.strictSame(closed, { keys: 1, addresses: 2, subscription: null })
    t.strictSame(await addresses(), [
      'billing paid',
      'billing second',
      'intent paid',
      'mail Your Tidemark key for paid',
      'mail Your Tidemark key for second',
    ])
    const { rows } = await pool.query('select prefix from account.key where project_id = $1', [projectId])
    t.match(await keyOf(rows[0].prefix), { revokedAt: /Z$/, proxy: undefined })
    t.match(await keyOf(other.prefix ?? ''), { revokedAt: null })
    const last = { last_by_subj: subjects.account(projectId) }
    await until(async () => {
      const message = await bus.jsm.direct.getMessage(streams.accounts, last)
      const types = message?.json<{ events: { type: string }[] }>().events.map(({ type }) => type) ?? []
      return types.join() === 'KeyRevoked,ProjectProxySet'
    })
  })

  await t.test('keeps the subscription of a paid account', async t => {
    t.match(await close('paid'), { keys: 1, addresses: 3, subscription: 'sub_1' })
    t.strictSame(await addresses(), ['billing second', 'mail Your Tidemark key for second'])
  })

  await t.test('may be repeated, and is refused for an unknown project', async t => {
    t.match(await close('first'), { keys: 0, addresses: 0 })
    t.match(await close('paid'), { keys: 0, addresses: 0, subscription: 'sub_1' })
    await t.rejects(close('nobody'), { code: 'not_found' })
    await t.rejects(signUp('first'), { code: 'name_taken' })
  })
})
