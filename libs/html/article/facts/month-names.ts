/** Names of months in common languages, in full and abbreviated, by number, without accents. */
const table: readonly string[] = [
  'january|jan|januar|jaenner|janner|janvier|janv|enero|ene|gennaio|gen|janeiro|januari|stycznia|styczen|sty|ledna|leden|ocak|января|январь|янв|jänner|січня|ιανουαριου|يناير|ינואר|בינואר|जनवरी|tammikuuta|ianuarie|gener',
  'february|feb|februar|fevrier|fevr|fev|febrero|febbraio|fevereiro|februari|lutego|luty|lut|unora|unor|subat|февраля|февраль|фев|лютого|φεβρουαριου|فبراير|פברואר|בפברואר|फरवरी|helmikuuta|februarie|febrer',
  'march|mar|marz|maerz|mrz|mars|marzo|marco|maart|mrt|marca|marzec|brezna|brezen|mart|марта|март|березня|μαρτιου|مارس|מרץ|במרץ|मार्च|maaliskuuta|marts|marcius|martie|maret',
  'april|apr|avril|avr|abril|abr|aprile|kwietnia|kwiecien|kwi|dubna|duben|nisan|апреля|апрель|апр|квітня|απριλιου|أبريل|ابريل|אפריל|באפריל|अप्रैल|huhtikuuta|aprilis|aprilie',
  'may|mai|mayo|maggio|mag|maio|mei|maj|maja|kvetna|kveten|mayis|мая|май|травня|μαιου|مايو|מאי|במאי|toukokuuta|majus|maig',
  'june|jun|juni|juin|junio|giugno|giu|junho|czerwca|czerwiec|cze|cervna|cerven|haziran|июня|июнь|июн|червня|ιουνιου|يونيو|יוני|ביוני|जून|kesakuuta|junius|iunie|juny',
  'july|jul|juli|juillet|juil|julio|luglio|lug|julho|lipca|lipiec|lip|cervence|cervenec|temmuz|июля|июль|июл|липня|ιουλιου|يوليو|יולי|ביולי|जुलाई|heinakuuta|julius|iulie|juliol',
  'august|aug|aout|agosto|ago|augustus|augusti|sierpnia|sierpien|sie|srpna|srpen|agustos|августа|август|авг|серпня|αυγουστου|أغسطس|אוגוסט|באוגוסט|अगस्त|elokuuta|augusztus|agustus|agost',
  'september|sept|sep|septembre|septiembre|settembre|set|setembro|wrzesnia|wrzesien|wrz|zari|eylul|сентября|сентябрь|сен|вересня|σεπτεμβριου|سبتمبر|ספטמבר|בספטמבר|सितंबर|सितम्बर|syyskuuta|szeptember|septembrie|setembre',
  'october|oct|oktober|okt|octobre|octubre|ottobre|ott|outubro|out|pazdziernika|pazdziernik|paz|rijna|rijen|ekim|октября|октябрь|окт|жовтня|οκτωβριου|أكتوبر|אוקטובר|באוקטובר|अक्टूबर|lokakuuta|octombrie',
  'november|nov|novembre|noviembre|novembro|listopada|listopad|lis|kasim|ноября|ноябрь|ноя|листопада|νοεμβριου|نوفمبر|נובמבר|בנובמבר|नवंबर|नवम्बर|marraskuuta|noiembrie',
  'december|dec|dezember|dez|decembre|diciembre|dic|dicembre|dezembro|desember|grudnia|grudzien|gru|prosince|prosinec|aralik|декабря|декабрь|дек|грудня|δεκεμβριου|ديسمبر|דצמבר|בדצמבר|दिसंबर|दिसम्बर|joulukuuta|decembrie|desembre',
]

const numbers = new Map<string, number>()
for (const [at, names] of table.entries()) for (const name of names.split('|')) numbers.set(name, at + 1)

/** Returns 1 to 12, or null for other words. */
export const monthNumber = (word: string): number | null => numbers.get(plain(word)) ?? null

/** Returns a word in lower case, without accents. The breve belongs to Cyrillic letters, and in Turkish to the `ğ`. */
const plain = (word: string): string =>
  word
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f](?<!\u0306)|(?<=g)\u0306/g, '')
    .normalize('NFC')
    .replaceAll('ı', 'i')
