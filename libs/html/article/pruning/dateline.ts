/** Recognizes the lines above a text that have only its authors, or the days and times of publication and changes. */

import { opening } from '../facts/byline-words.ts'
import { monthNumber } from '../facts/month-names.ts'
import { findDate } from '../facts/written-date.ts'

const maxLength = 120
const maxWords = 20

/** Returns whether a text has a date, and besides dates only the words around them: "Updated: 3 May 2026, 9:30 am". */
export function isDateline(text: string): boolean {
  if (text.length > maxLength || !/\d/.test(text)) return false
  const words = text.toLowerCase().split(/[^\p{L}\p{M}\d]+/u, maxWords + 1)
  return words.length <= maxWords && words.every(isOfDate) && findDate(text) !== null
}

/** Returns whether a text has only dates, or the authors of the page with a label and dates: "By Ada Moss · 3 May 2026". */
export function isSignature(text: string, byline: string | null): boolean {
  if (isDateline(text)) return true
  if (byline === null || text.length > byline.length + maxLength || !text.includes(byline)) return false
  const rest = text.replace(byline, '').trim().replace(opening, '')
  return !/[\p{L}\d]/u.test(rest) || isDateline(rest)
}

const isOfDate = (word: string): boolean =>
  word === '' || numbers.test(word) || around.has(word) || monthNumber(word) !== null

/** Numbers with their endings, such as `3rd`, `22h10` and `9am`, and whole dates of East Asia. */
const numbers = /^\d+(?:st|nd|rd|th|er|[.ºª]|h|h\d+|am|pm|min|t\d+z?)?$|^[\d年月日号時时分秒년월일시분초]+$/

/** Words of publication and change, of days and times, and of the time that the text takes to read. */
const around: ReadonlySet<string> = new Set(
  (
    'published posted updated modified edited created last first on at date and am pm a m p min mins minute minutes read reading time ' +
    'gmt utc est edt et cst cdt ct pst pdt pt bst cet cest mez mesz ist ' +
    'monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun ' +
    'veröffentlicht aktualisiert geändert erstellt stand datum zuletzt vom am um uhr von montag dienstag mittwoch donnerstag freitag ' +
    'samstag sonnabend sonntag mo di mi do fr sa so lesezeit minuten ' +
    'publié publiée mis mise modifié à jour le la h lundi mardi mercredi jeudi vendredi samedi dimanche temps de lecture ' +
    'publicado publicada actualizado actualizada modificado modificada atualizado atualizada el del a las los em às lunes martes miércoles ' +
    'jueves viernes sábado domingo segunda terça quarta quinta sexta feira tiempo lectura leitura ' +
    'pubblicato pubblicata aggiornato aggiornata il alle ore lunedì martedì mercoledì giovedì venerdì lettura ' +
    'leestijd gepubliceerd geplaatst bijgewerkt op om uur maandag dinsdag woensdag donderdag vrijdag zaterdag zondag ' +
    'publicerad uppdaterad publisert oppdatert publiceret opdateret den kl opublikowano aktualizacja data publikacji godz dnia ' +
    'опубликовано обновлено г в 发布 发布时间 发布于 更新 更新于 更新时间 日期 公開 公開日 更新日 投稿日 入力 수정'
  ).split(' '),
)
