/** Finds requests for consent to cookies without such a name, outside of the content. */
import { isMainElement } from '../element-kinds.ts'
import type { Outline } from '../outline.ts'

const cookies =
  /^(?:(?:we|this (?:web)?site|our (?:web)?site|by using this (?:web)?site).{0,60}\buse[sd]? (?:\p{L}+ ){0,3}cookies?|wir (?:verwenden|nutzen|setzen) (?:\p{L}+ ){0,3}cookies|diese (?:web)?seite (?:verwendet|nutzt) cookies|nous utilisons (?:des|les) cookies|ce site utilise des cookies|(?:usamos|utilizamos|este sitio (?:web )?(?:usa|utiliza)|este site (?:usa|utiliza)) (?:os )?cookies|(?:utilizziamo|questo sito (?:web )?(?:usa|utilizza)) (?:i )?cookies?|(?:wij|we) gebruiken cookies|vi (?:använder|bruger|bruker) cookies|używamy (?:plików )?cookies?|мы используем (?:файлы )?cookie)/iu

/** Returns the elements of such requests that are not in a main element, or else before the first heading. */
export function consentTexts({ elements, ends, blocks }: Outline): number[] {
  const found = blocks.filter(({ element, text }) => element >= 0 && cookies.test(text))
  if (found.length === 0) return []
  const contents = elements.flatMap((element, at) =>
    element.name === 'article' || isMainElement(element) ? [at] : [],
  )
  const title = elements.findIndex(({ name }) => name === 'h1')
  const isOutside = (at: number): boolean =>
    contents.length > 0
      ? contents.every(content => at < content || at >= (ends[content] ?? 0))
      : (ends[at] ?? 0) <= title
  return found.flatMap(({ element }) => (isOutside(element) ? [element] : []))
}
