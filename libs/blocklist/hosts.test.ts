/** Tests the hosts that a list names in each of its forms, and the names that an entry covers. */

import { codePoint } from '@tidemark/testing/code-point'
import { sized } from '@tidemark/testing/tier'
import fc from 'fast-check'
import { test } from 'tap'
import { blocklistOf, hostsIn } from './hosts.ts'

const hosts = (text: string) => [...hostsIn(text)].flat()

test('A list of hosts', async t => {
  const list = `# a comment
0.0.0.0 bad.example worse.example # and more
127.0.0.1\tlocalhost
::1 ip6-localhost ip6-loopback
255.255.255.255 broadcasthost
0.0.0.0 0.0.0.0

plain.example\r
  UPPER.Example.  
*.wild.example
bücher.example
192.0.2.1
0xc0.2.1
2001:DB8::1
two words.example
http://a.example/path
user@a.example
a.example:8080
<html>
`
  t.strictSame(hosts(list), [
    'bad.example',
    'worse.example',
    'plain.example',
    'upper.example',
    'wild.example',
    'xn--bcher-kva.example',
    '192.0.2.1',
    '192.2.0.1',
    '[2001:db8::1]',
  ])
  t.strictSame(hosts(''), [])
  t.strictSame(hosts('last.example'), ['last.example'], 'needs no line end at the end of the text')
})

test('A blocklist', async t => {
  const { find, size } = blocklistOf(new Set(hosts('bad.example\n192.0.2.1\n[::1]\n')))
  t.equal(size, 3)
  t.equal(find('bad.example'), 'bad.example')
  t.equal(find('a.b.bad.example'), 'bad.example', 'names subdomains too')
  t.equal(find('bad.example.'), 'bad.example', 'with a dot at the end')
  t.equal(find('notbad.example'), null)
  t.equal(find('bad.example.org'), null)
  t.equal(find('example'), null)
  t.equal(find('192.0.2.1'), '192.0.2.1')
  t.equal(find('2.0.2.1'), null)
  t.equal(find('[::1]'), '[::1]')
  t.equal(find(''), null)
  const anything = fc.property(fc.string({ unit: codePoint }), text =>
    hosts(text).every(
      host => URL.parse(`http://${host}/`) !== null || host.includes('_') || host.includes('-'),
    ),
  )
  t.doesNotThrow(() => fc.assert(anything, { numRuns: sized(150, 500) }), 'accepts any text')
})
