/** The measurement of streams; `test/e2e/operations.test.ts` reads the metrics of a whole system. */
import { openBus } from '@tidemark/bus/connection'
import { throwawayNats } from '@tidemark/testing/servers'
import { test } from 'tap'
import { measure } from './adapters/measure-streams.ts'

test('A full stream that drops its oldest messages shows that others arrive', async t => {
  const nats = await throwawayNats()
  t.teardown(() => nats.stop())
  const bus = await openBus({ url: nats.url, name: 'test' })
  t.teardown(() => bus.close())
  await bus.jsm.streams.add({
    name: 'DEAD',
    subjects: ['dead.>'],
    discard: 'old',
    max_msgs: 2,
    max_bytes: 1e6,
  })
  t.match(await measure(bus), [{ name: 'DEAD', messages: 0, appended: 0, limit: 1e6 }])
  for (let n = 1; n <= 3; n++) await bus.js.publish(`dead.PAGES.${n}`, 'given up')
  t.match(await measure(bus), [{ messages: 2, appended: 3 }])
  await bus.jsm.streams.purge('DEAD')
  t.match(
    await measure(bus),
    [{ messages: 0, appended: 3 }],
    'and a replay or discard removes none from the count',
  )
})
