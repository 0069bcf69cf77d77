/** Headers, cookies and user agents of a crawl request that are refused, and the expected error. */

const tooLong = (field: string) => `${field} must have at most 8192 characters.`
const withNul = (field: string) => `${field} must be text without NUL characters.`

export function badHeaders(): [more: object, field: string, reason: string, message?: string][] {
  return [
    [{ user_agent: 7 }, 'user_agent', 'wrong_type'],
    [{ user_agent: 'x'.repeat(1025) }, 'user_agent', 'bad_value'],
    [{ user_agent: 'Bot/1\r\nX-Evil: 1' }, 'user_agent', 'bad_value'],
    [{ user_agent: 'InternalCrawler/1\n' }, 'user_agent', 'bad_value'],
    [{ user_agent: 'Bot/1 \u{1f600}' }, 'user_agent', 'bad_value'],
    [{ user_agent: 'a\0b' }, 'user_agent', 'bad_value'],
    [{ headers: { 'X-A': 'b\r\nX-Evil: 1' } }, 'headers', 'bad_value'],
    [{ headers: { 'X-A\r\n': 'b' } }, 'headers', 'bad_value', '"X-A\\r\\n" is not a header name.'],
    [{ headers: { 'X-A': 1 } }, 'headers.X-A', 'wrong_type', 'headers.X-A must be a string.'],
    [{ headers: { 'X/A~b': 1 } }, 'headers.X/A~b', 'wrong_type'],
    [{ headers: { 'X-A': 'x'.repeat(8193) } }, 'headers.X-A', 'bad_value', tooLong('headers.X-A')],
    [{ headers: { 'X-A': 's3cret\0' } }, 'headers.X-A', 'bad_value', withNul('headers.X-A')],
    [{ headers: { Host: 'b.example' } }, 'headers', 'bad_value'],
    [{ headers: { 'HTTP2-Settings': 'x' } }, 'headers', 'bad_value'],
    [{ headers: { 'Accept-Encoding': 'x' } }, 'headers', 'bad_value'],
    [{ headers: [] }, 'headers', 'wrong_type'],
    [{ headers: 'Authorization: Bearer s3cret' }, 'headers', 'wrong_type', 'headers must be a JSON object.'],
    [
      { user_agent: 'goodbot/1.0', headers: { 'user-Agent': 'zzbot/1.0' } },
      'user_agent',
      'conflicting_fields',
      'user_agent is "goodbot/1.0", but the header "user-Agent" has another value. Send one of them.',
    ],
    [{ headers: { 'User-Agent': 'x'.repeat(1025) } }, 'headers', 'bad_value'],
    [
      { headers: { 'X-A': '1', 'x-a': '2' } },
      'headers',
      'bad_value',
      'The headers "X-A" and "x-a" have the same name, because case does not count. Send one of them.',
    ],
    [{ headers: { 'User-Agent': 'a', 'user-agent': 'a' } }, 'headers', 'bad_value'],
    [
      { headers: Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`X-${n}`, ''])) },
      'headers',
      'out_of_range',
    ],
    [{ cookies: 'x'.repeat(65_537) }, 'cookies', 'bad_value', 'cookies must have at most 65536 characters.'],
    [{ cookies: 'a=b\r\nX-Evil: 1' }, 'cookies', 'bad_value'],
    [{ cookies: {} }, 'cookies', 'wrong_type', 'cookies must be a string.'],
    [{ cookies: 'session=s3cret\0' }, 'cookies', 'bad_value', withNul('cookies')],
  ]
}
