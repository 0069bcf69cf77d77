/** Evidence of an encoding: the letters of each language, and the common multibyte characters. */

export const westEuropean = 'windows-1252'

/** One in this number of non-ASCII characters may be broken. */
const minIntact = 50

/** Returns whether the sample can be in an encoding. It may end within a character. */
export function isMostlyValid(sample: Buffer, charset: string): boolean {
  const text = new TextDecoder(charset).decode(sample, { stream: true })
  const broken = text.match(/\ufffd/g)?.length ?? 0
  const wide = text.match(/[^\0-\x7f]/g)?.length ?? 0
  return broken <= wide / minIntact
}

/** Letters beyond ASCII by language, in lower case. */
const west = [
  'àâæçéèêëîïôœùûüÿ', // French
  'áéíñóúü', // Spanish
  'áâãàçéêíóôõúü', // Portuguese
  'àèéìíîòóùú', // Italian
  'àçèéíïòóúü', // Catalan
  'äöüßé', // German
  'åäöéàüæøóò', // Swedish, Norwegian, Danish, Finnish
  'áðéíóúýþæö', // Icelandic
  'ëïéèöüó', // Dutch
]
const central = [
  'ąćęłńóśźż', // Polish
  'áčďéěíňóřšťúůýž', // Czech
  'áäčďéíĺľňóôŕšťúýž', // Slovak
  'áéíóöőúüű', // Hungarian
  'čćđšž', // Croatian, Slovenian
  'ăâîşţ', // Romanian
]
const turkish = ['çğıöşüâî', 'çğöşüəı']
const baltic = ['ąčęėįšųūž', 'āčēģīķļņšūž', 'äõöüšž']

/**
 * Encodings by the detector's names. It reports ISO 8859 for texts that are the same in the larger set of Windows.
 */
const latin: readonly { charset: string; names: readonly string[]; languages: readonly string[] }[] = [
  { charset: 'windows-1254', names: ['windows-1254', 'ISO-8859-9'], languages: turkish },
  { charset: 'iso-8859-2', names: ['ISO-8859-2'], languages: central },
  { charset: 'windows-1250', names: ['windows-1250', 'ISO-8859-2'], languages: central },
  { charset: 'windows-1257', names: ['windows-1257'], languages: baltic },
]
const western = ['windows-1252', 'ISO-8859-1']

/**
 * Minimum additional share of the letters that another encoding must explain, depending on the detector's preference
 * of the two.
 */
const minGain = { other: 0, neither: 0.15, western: 0.5 }
const muchSurer = 1.5
/** The detector's confidence, in hundredths, for English words with any letters among them. */
const chance = 30

type Candidate = { name: string; confidence: number }

/** Returns the encoding of a Latin text in which the largest share of its letters belongs to one language. */
export function latinCharset(sample: Buffer, candidates: readonly Candidate[]): string {
  const confidenceOf = (names: readonly string[]) =>
    candidates.find(({ name }) => names.includes(name))?.confidence ?? 0
  const ofWestern = confidenceOf(western)
  const hasControls = sample.some(byte => byte >= 0x80 && byte < 0xa0)
  const usual = shareOf(sample, westEuropean, west)
  let best = { charset: westEuropean, share: 0 }
  for (const { charset, names, languages } of latin) {
    if (hasControls && charset.startsWith('iso')) continue
    const share = shareOf(sample, charset, languages)
    const gain = minGain[surerOf(confidenceOf(names), ofWestern)]
    if (share > best.share && share >= usual + gain) best = { charset, share }
  }
  return best.charset
}

function surerOf(other: number, ofWestern: number): keyof typeof minGain {
  if (other > muchSurer * ofWestern) return 'other'
  return ofWestern > Math.max(muchSurer * other, chance) ? 'western' : 'neither'
}

/** Returns the share of the characters beyond ASCII in words that one language has. */
function shareOf(sample: Buffer, charset: string, languages: readonly string[]): number {
  const found = inWords(new TextDecoder(charset).decode(sample))
  if (found.length === 0) return 1
  const shares = languages.map(letters => found.filter(one => letters.includes(one)).length / found.length)
  return Math.max(...shares)
}

/**
 * Matches a letter anywhere in a word, and a sign only between two letters, because signs may also be next to words.
 */
const beyondAscii = /(?<=\p{L})[^\0-\x7f\p{L}](?=\p{Ll})|(?<=\p{L})[^\0-\x7f\P{L}]|[^\0-\x7f\P{L}](?=\p{L})/gu
/** Characters in words of any language. */
const neutral = /[’´·µªº]/

function inWords(text: string): string[] {
  const found = text.match(beyondAscii) ?? []
  return found.filter(one => !neutral.test(one)).map(one => one.toLowerCase())
}

type Wide = { charset: string; isCommon: (lead: number) => boolean; needs?: (lead: number) => boolean }

const within = (from: number, to: number) => (byte: number) => byte >= from && byte <= to
const isKana = within(0xa4, 0xa5)

/** Encodings by the lead bytes of their common characters, and of one kind that must occur. */
const wide: readonly Wide[] = [
  { charset: 'shift_jis', isCommon: lead => within(0x81, 0x83)(lead) || within(0x88, 0x97)(lead) },
  { charset: 'euc-jp', isCommon: within(0xa1, 0xcf), needs: isKana },
  { charset: 'euc-kr', isCommon: lead => within(0xb0, 0xc8)(lead) || lead === 0xa1 },
  { charset: 'gb18030', isCommon: lead => within(0xb0, 0xd7)(lead) || lead === 0xa1 || lead === 0xa3 },
  { charset: 'big5', isCommon: within(0xa1, 0xc6) },
]
const minCommon = 0.9

/** Returns the double-byte encoding in which nearly all of a non-Latin text is common characters, or null. */
export function wideCharset(sample: Buffer): string | null {
  let best: { charset: string | null; share: number } = { charset: null, share: minCommon }
  const leads = leadsOf(sample)
  for (const { charset, isCommon, needs } of wide) {
    if (leads.length < 2 || (needs && !leads.some(needs)) || !isMostlyValid(sample, charset)) continue
    const share = leads.filter(isCommon).length / leads.length
    if (share > best.share) best = { charset, share }
  }
  return best.charset
}

/** Returns the lead bytes of pairs. */
function leadsOf(sample: Buffer): number[] {
  const leads: number[] = []
  for (let at = 0; at < sample.length; at++) {
    const byte = sample[at] as number
    if (byte < 0x80) continue
    leads.push(byte)
    at++
  }
  return leads
}
