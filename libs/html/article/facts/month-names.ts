/** Names of months in common languages, in full and abbreviated, by number, without accents. */
const table: readonly string[] = [
  'january|jan|januar|jaenner|janner|janvier|janv|enero|ene|gennaio|gen|janeiro|januari|stycznia|styczen|sty|ledna|leden|ocak|января|январь|янв|jänner',
  'february|feb|februar|fevrier|fevr|fev|febrero|febbraio|fevereiro|februari|lutego|luty|lut|unora|unor|subat|февраля|февраль|фев',
  'march|mar|marz|maerz|mrz|mars|marzo|marco|maart|mrt|marca|marzec|brezna|brezen|mart|марта|март',
  'april|apr|avril|avr|abril|abr|aprile|kwietnia|kwiecien|kwi|dubna|duben|nisan|апреля|апрель|апр',
  'may|mai|mayo|maggio|mag|maio|mei|maj|maja|kvetna|kveten|mayis|мая|май',
  'june|jun|juni|juin|junio|giugno|giu|junho|czerwca|czerwiec|cze|cervna|cerven|haziran|июня|июнь|июн',
  'july|jul|juli|juillet|juil|julio|luglio|lug|julho|lipca|lipiec|lip|cervence|cervenec|temmuz|июля|июль|июл',
  'august|aug|aout|agosto|ago|augustus|augusti|sierpnia|sierpien|sie|srpna|srpen|agustos|августа|август|авг',
  'september|sept|sep|septembre|septiembre|settembre|set|setembro|wrzesnia|wrzesien|wrz|zari|eylul|сентября|сентябрь|сен',
  'october|oct|oktober|okt|octobre|octubre|ottobre|ott|outubro|out|pazdziernika|pazdziernik|paz|rijna|rijen|ekim|октября|октябрь|окт',
  'november|nov|novembre|noviembre|novembro|listopada|listopad|lis|kasim|ноября|ноябрь|ноя',
  'december|dec|dezember|dez|decembre|diciembre|dic|dicembre|dezembro|desember|grudnia|grudzien|gru|prosince|prosinec|aralik|декабря|декабрь|дек',
]

const numbers = new Map<string, number>()
for (const [at, names] of table.entries()) for (const name of names.split('|')) numbers.set(name, at + 1)

/** Returns 1 to 12, or null for other words. */
export const monthNumber = (word: string): number | null => numbers.get(plain(word)) ?? null

/** Returns a word in lower case, without accents. */
const plain = (word: string): string =>
  word
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f](?<!\u0306)/g, '')
    .normalize('NFC')
