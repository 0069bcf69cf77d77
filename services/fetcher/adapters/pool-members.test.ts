/** Proxies of a pool that do not work. */
import { FetchError } from '@tidemark/http/fetch-error'
import { ProxyRefusal } from '@tidemark/http/proxies/proxy-refusal'
import { readProxyPools } from '@tidemark/http/proxy-pools'
import { test } from 'tap'
import { createPoolMembers } from './pool-members.ts'

test('While all proxies of a pool rest, the error has the reason of the last one', t => {
  const take = createPoolMembers(readProxyPools(JSON.stringify({ mobile: ['http://127.2.0.9:1'] })))
  const taken = () => take({ pool: 'mobile', country: null }, { key: 'a', attempt: 0 }, 1)
  const cause = new ProxyRefusal('login', 'it rejects the login (407)')
  for (let n = 0; n < 3; n++) {
    using member = taken()
    const error = member.failed(new FetchError('proxy', { because: `the proxy: ${cause.message}`, cause }))
    t.match(error, { transient: true, cause }, 'the client receives the refusal, which is the cause')
  }
  t.throws(taken, {
    code: 'proxy',
    message: /the pool mobile failed recently; of the last one: it rejects the login \(407\)/,
  })
  t.end()
})
