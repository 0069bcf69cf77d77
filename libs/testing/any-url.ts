/**
 * Generates the same URLs and paths as `webUrl` and `webPath` of fast-check, without their table of all code points,
 * which takes a second to build.
 */
import fc from 'fast-check'
import { codePoint } from './code-point.ts'

type Size = 'small' | 'medium'
type UrlOptions = {
  validSchemes?: string[]
  withQueryParameters?: boolean
  withFragments?: boolean
  size?: Size
}

const letters = 'abcdefghijklmnopqrstuvwxyz'
const ofSegments = `${letters}${letters.toUpperCase()}0123456789-._~!$&'()*+,;=:@`

const percentEncoded = codePoint.map(text => {
  const encoded = encodeURIComponent(text)
  return encoded === text ? `%${text.charCodeAt(0).toString(16)}` : encoded
})

const charactersOf = (plain: string) =>
  fc.oneof({ weight: 10, arbitrary: fc.constantFrom(...plain) }, percentEncoded)

/**
 * For each size of a path, two sizes: one for the length of a segment and one for the number of segments. Half of the
 * paths use them in the other order.
 */
const pathSizes = {
  small: ['small', 'xsmall'],
  medium: ['small', 'small'],
  large: ['medium', 'small'],
} as const

export function webPath({ size = 'small' }: { size?: Size } = {}): fc.Arbitrary<string> {
  const [one, other] = pathSizes[size]
  const unit = charactersOf(ofSegments)
  const path = (ofSegment: fc.SizeForArbitrary, ofAll: fc.SizeForArbitrary) =>
    fc
      .array(fc.string({ unit, size: ofSegment }), { size: ofAll })
      .map(segments => segments.map(segment => `/${segment}`).join(''))
  return fc.oneof(path(one, other), path(other, one))
}

export function webUrl({
  validSchemes = ['http', 'https'],
  withQueryParameters = false,
  withFragments = false,
  size = 'small',
}: UrlOptions = {}): fc.Arbitrary<string> {
  const rest = (sign: string, isWanted: boolean) =>
    isWanted
      ? fc
          .option(fc.string({ unit: charactersOf(`${ofSegments}/?`), size }))
          .map(text => (text === null ? '' : sign + text))
      : fc.constant('')
  return fc
    .tuple(
      ...[fc.constantFrom(...validSchemes), fc.constant('://'), fc.webAuthority({ size }), webPath({ size })],
      ...[rest('?', withQueryParameters), rest('#', withFragments)],
    )
    .map(parts => parts.join(''))
}
