/** Recognizes the dates of changes of a text, which are not the day of its publication. */
import type { Element } from 'domhandler'
import { textOf } from '../../tree/text-of.ts'

const changed =
  /updat|modif|revis|aktualisier|mise? à jour|actualiz|aggiorn|atualiz|bijgewerkt|uppdater|opp?dater|zaktualiz|güncelle|обновл|оновл|تحديث|עודכן|更新|수정|cập nhật|\bedited\b|last edit/i

/** Returns whether an element has a date of a change: by its names, or by the words between it and a date before it. */
export function statesChange(element: Element, line: string): boolean {
  const { itemprop = '', class: names = '' } = element.attribs
  if (itemprop.includes('dateModified') || changed.test(names)) return true
  const own = textOf(element)
  const until = line.indexOf(own) + Math.max(0, own.search(/\d/))
  return changed.test(/\D*$/.exec(line.slice(Math.max(0, until - maxLabel), until))?.[0] ?? '')
}

const maxLabel = 60

/** Returns whether the first date of a line is that of a change. */
export const beginsWithChange = (line: string): boolean => changed.test(aboutFirstDate(line))

/**
 * Returns the words about the first date: those before its year. Words behind it are about a second date, or about the
 * only date if it begins the text.
 */
function aboutFirstDate(text: string): string {
  const [first, second] = [...text.matchAll(/(?:19|20)\d\d/g)].map(({ index }) => index)
  return first === undefined || (first === 0 && second === undefined) ? text : text.slice(0, first)
}
