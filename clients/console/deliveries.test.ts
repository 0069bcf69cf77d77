/** The screen of the webhooks of a crawl: how long it is read again. */
import { test } from 'tap'
import { mayChange } from './web/data/deliveries.ts'

const ended = '2026-01-02T03:04:05.000Z'
const after = (seconds: number) => seconds * 1000

test('The webhooks of a crawl can change before its end, shortly after it, and while one is pending', async t => {
  t.equal(mayChange(null, [], after(0)), false, 'an unknown crawl has none')
  t.equal(mayChange({ finished_at: null }, [], after(0)), true, 'a running crawl sends its webhook later')
  t.equal(mayChange({ finished_at: null }, [{ state: 'delivered' }], after(0)), true)
  t.equal(mayChange({ finished_at: ended }, [], after(2)), true, 'the webhook of the end is decided now')
  t.equal(mayChange({ finished_at: ended }, [], after(3600)), false)
  t.equal(mayChange({ finished_at: ended }, [{ state: 'dead' }], after(3600)), false)
  t.equal(mayChange({ finished_at: ended }, [{ state: 'dead' }, { state: 'pending' }], after(3600)), true)
})
