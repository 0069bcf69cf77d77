/**
 * Whether a page is nothing but the shell of an application: it shows a reader next to nothing, and has the scripts
 * that would make its content. Read from what is known of a page on every way, the crawl's too. Linear in the source.
 */
import { shownSource } from './shown-source.ts'

/** What the rule looks at. */
export type ShellFacts = {
  /** Decoded. */
  body: Buffer
  /** Words of the visible text; null of what is no HTML. */
  words: number | null
}

/** Words of the visible text, at most. */
const most = {
  /** Beside an element that an application is to fill and that is empty: "You need a newer browser …". */
  besideEmptyRoot: 25,
  /** Within a page that is being loaded: "Loading, please wait". */
  whileLoading: 5,
  /** Of a page that says that it cannot do without JavaScript. */
  asking: 30,
}
/** Bytes; the marks are ASCII and read the same in nearly every encoding. */
const looked = 512 * 1024

const script = /<script\b(?![^<>]{0,500}\btype=["']?(?:application\/(?:ld\+)?json|text\/template))/i
/** Names that frameworks and their templates give to the element that an application fills. */
const names =
  '(?:root|app|application|app-?root|app-?container|app-?mount|react-?root|react-?app|vue-?app|__next|__nuxt|___gatsby|__layout|svelte|sapper|q-app|ember-app|elm|main-app|mount|outlet)'
const root = new RegExp(`<(?:div|main|section)\\b[^<>]{0,500}\\bid=["']?${names}(?=["'\\s>])`, 'i')
const emptyRoot = new RegExp(
  `<(div|main|section)\\b[^<>]{0,500}\\bid=["']?${names}(?=["'\\s>])[^<>]{0,500}>\\s{0,200}</\\1\\s*>`,
  'i',
)
/** An element that a component fills, named as one. */
const ownRoot = /<(?:[a-z]{1,20}-(?:app|root|shell)|app-[a-z]{1,20}|ion-app|flutter-view)\b/i
const emptyOwnRoot =
  /<([a-z]{1,20}-(?:app|root|shell)|app-[a-z]{1,20}|ion-app|flutter-view)\b[^<>]{0,500}>\s{0,200}<\/\1\s*>/i
/** What has a meaning without any script: who has this is a page, however little it says. */
const content =
  /<(?:a\s[^<>]{0,500}\bhref|form\b|input\b|table\b|video\b|audio\b|iframe\b|frame\b|object\b|embed\b|picture\b|h[1-6]\b|article\b)/i
/** What a page without any words may show. */
const drawn = /<(?:img|canvas|image|input)\b/i
const sentOn = /<meta\b[^<>]{0,200}http-equiv=["']?refresh/i
const asks = [
  /\b(?:enable|turn on|activate|allow|require[sd]?|requiring|needs?|support)\b[^<>.]{0,60}\bjava ?script\b/i,
  /\bjava ?script\b[^<>.]{0,60}\b(?:enabled|required|needed|disabled|turned (?:on|off)|not available|to (?:run|work|use|view))\b/i,
]

/** True of a page whose content only its scripts can make. A challenge is none; ask for that first. */
export function isScriptShell({ body, words }: ShellFacts): boolean {
  if (words === null || words > most.asking) return false
  const source = body.toString('latin1', 0, looked)
  if (!script.test(source)) return false
  const shown = shownSource(source)
  if (emptyRoot.test(shown) || emptyOwnRoot.test(shown)) return words <= most.besideEmptyRoot
  if (content.test(shown)) return false
  if (asks.some(words => words.test(withoutScripts(source)))) return true
  if (root.test(shown) || ownRoot.test(shown)) return words <= most.whileLoading
  return words === 0 && !drawn.test(shown) && !sentOn.test(source)
}

const withoutScripts = (source: string): string => shownSource(source, ['noscript'])
