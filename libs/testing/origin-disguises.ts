/**
 * URLs of this machine in every known notation. Tests of the egress send them to every entry point for URLs. The
 * test's own resolver must answer their names with loopback.
 */
import fc from 'fast-check'

type Four = readonly [number, number, number, number]

const hex = (value: number, digits = 1) => value.toString(16).padStart(digits, '0')
const octal = (value: number) => `0${value.toString(8)}`
const number = ([a, b, c, d]: Four) => ((a * 256 + b) * 256 + c) * 256 + d
const groups = ([a, b, c, d]: Four) => `${hex(a * 256 + b)}:${hex(c * 256 + d)}`
const dotted = (four: Four) => four.join('.')
const shifted = (text: string, zero: number) =>
  text.replace(/[0-9]/g, digit => String.fromCodePoint(zero + Number(digit)))

const target: fc.Arbitrary<Four> = fc.constantFrom<Four[]>([127, 0, 0, 1], [0, 0, 0, 0], [127, 0, 0, 1])

/** IPv4: one or several parts as a number, in any base and any digits. */
const partForms: ((value: number) => string)[] = [
  String,
  octal,
  value => `000${value.toString(8).padStart(3, '0')}`,
  value => `0x${hex(value)}`,
  value => `0X${hex(value, 8).toUpperCase()}`,
]

const fourParts = fc
  .tuple(target, fc.array(fc.constantFrom(...partForms), { minLength: 4, maxLength: 4 }), fc.boolean())
  .map(([four, forms, dot]) => four.map((part, at) => forms[at]?.(part)).join('.') + (dot ? '.' : ''))

const fewParts = fc
  .tuple(target, fc.constantFrom(1, 2, 3), fc.constantFrom(...partForms))
  .map(([four, count, form]) => {
    const tail = number(four) % 256 ** (5 - count)
    return [...four.slice(0, count - 1), tail].map(form).join('.')
  })

const otherDigits = fc
  .tuple(fc.oneof(target.map(dotted), fewParts), fc.constantFrom(0xff10, 0x1d7ce, 0x1d7d8, 0x1d7f6))
  .map(([text, zero]) => shifted(text, zero))

const otherDots = fc
  .tuple(target.map(dotted), fc.constantFrom('\u3002', '\uff0e', '\uff61', '%2e', '%2E', '\u00ad.'))
  .map(([text, dot]) => text.replaceAll('.', dot))

const percent = target.map(four => dotted(four).replace(/[0-9]/g, digit => `%3${digit}`))

/** IPv6: loopback itself, and IPv4 in every defined wrapper. */
const wrappings: ((four: Four) => string)[] = [
  () => '::1',
  () => '::',
  () => '0:0:0:0:0:0:0:1',
  () => '0000:0000:0000:0000:0000:0000:0000:0001',
  () => '0::0:1',
  four => `::ffff:${dotted(four)}`,
  four => `::FFFF:${groups(four)}`,
  four => `0:0:0:0:0:ffff:${dotted(four)}`,
  four => `::${dotted(four)}`,
  four => `::ffff:0:${dotted(four)}`,
  four => `2002:${groups(four)}::`,
  four => `2002:${groups(four)}::1`,
  four => `64:ff9b::${dotted(four)}`,
  four => `64:ff9b::${groups(four)}`,
  four => `64:ff9b:1::${dotted(four)}`,
  four => `64:ff9b:1:ffff:${groups(four)}::`,
  four => `2001:0:4136:e378:8000:63bf:${groups(four.map(part => part ^ 255) as unknown as Four)}`,
  four => `fe80::5efe:${dotted(four)}`,
]

const wrapped = fc
  .tuple(target, fc.constantFrom(...wrappings), fc.constantFrom('', '', '', '%lo', '%251', '%25eth0'))
  .map(([four, wrap, zone]) => `[${wrap(four)}${zone}]`)

const label = fc.stringMatching(/^[a-z0-9]{1,12}$/)

const names = fc.oneof(
  fc.constantFrom(
    'localhost',
    'LOCALHOST',
    'localhost.',
    'LocalHost',
    '\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3',
  ),
  label.map(word => `${word}.localhost`),
  label.map(word => `${word}.inside.test`),
  fc.tuple(label, target).map(([word, four]) => `${word}.${dotted(four)}.nip.test`),
)

const host = fc.oneof(fourParts, fewParts, otherDigits, otherDots, percent, wrapped, names)

/** Texts between the scheme and the host that parsers may interpret differently. */
const openings = [
  'http://',
  'http://',
  'http://',
  'HTTP://',
  'http:/',
  'http:',
  'http:\\\\',
  'ht\ttp://',
  ' http:///',
  'http://public.test@',
  'http://public.test:80@',
  'http://public.test%2f@',
  'http://public.test\\@',
  'http://user:pass@',
  'http://@',
  '//',
]

/** Generates URLs with this port, or with the port and further text. */
export const disguisedLoopback = (port: number): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom(...openings),
      host,
      fc.constantFrom('', '/', '/a?b#c', '#@public.test/', '?@public.test'),
    )
    .map(([opening, name, rest]) => `${opening}${name}:${port}${rest}`)
