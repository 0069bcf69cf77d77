import { openBus } from '@tidemark/bus/connection'
import { serve } from '@tidemark/bus/rpc'
import type { ReadTermsResponse } from '@tidemark/contracts/rpc/accounts'
import * as accountsRpc from '@tidemark/contracts/rpc/accounts'
import { notifications } from '@tidemark/contracts/subjects'
import { throwawayNats } from '@tidemark/testing/servers'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { termsBy } from './terms.ts'

test('On which terms a project is served', async t => {
  const nats = await throwawayNats()
  t.teardown(() => nats.stop())
  const bus = await openBus({ url: nats.url, name: 'test' })
  t.teardown(() => bus.close())
  using terms = termsBy(bus)
  const { find } = terms
  t.equal(await find(7), null, 'the terms are unknown while auth-billing is down')

  const stop = new AbortController()
  let requested = 0
  let now: ReadTermsResponse['terms'] = { tier: 'pro', unlimited: false, caps: { pagesPerDay: 9 } }
  const respond = async () => {
    requested++
    return { terms: now }
  }
  const at = { signal: stop.signal, report: (error: unknown) => t.error(error) }
  const answering = serve(bus, accountsRpc.readTerms, respond, at)
  await bus.nc.flush()
  t.strictSame(await find(8), now)
  t.strictSame(await find(8), now)
  t.equal(requested, 1, 'one request serves many decisions')

  now = { tier: 'free', unlimited: true, caps: {} }
  bus.nc.publish(notifications.keysChanged)
  await until(async () => (await find(8))?.tier === 'free')
  t.equal(requested, 2, 'a change leads to a new request')

  stop.abort()
  await answering
  bus.nc.publish(notifications.keysChanged)
  await bus.nc.flush()
  t.strictSame(await find(8), now, 'while it is down, the last response holds')
})
