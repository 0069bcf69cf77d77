/** Short texts in the encodings of old pages, with functions that encode them. */

export type InCharset = { charset: string; lang: string; title: string; text: string }

const russian = {
  lang: 'ru',
  title: 'Расписание приливов на осень',
  text: 'Каждое утро смотритель маяка записывает высоту воды и силу ветра. Вчера море было спокойным, а сегодня ночью поднялся шторм.',
}
const japanese = {
  lang: 'ja',
  title: '秋の潮汐表',
  text: '毎朝、灯台守は水位と風の強さを書き留めます。昨日の海は穏やかでしたが、夜中に嵐になりました。',
}
const polish = {
  lang: 'pl',
  title: 'Tablica pływów na jesień',
  text: 'Każdego ranka latarnik zapisuje wysokość wody i siłę wiatru. Wczoraj morze było spokojne, a dziś w nocy zerwał się sztorm.',
}
const czech = {
  lang: 'cs',
  title: 'Tabulka přílivů na podzim',
  text: 'Každé ráno strážce majáku zapisuje výšku vody a sílu větru. Včera bylo moře klidné, ale dnes v noci přišla bouře.',
}

export const inOldCharsets: readonly InCharset[] = [
  { charset: 'windows-1251', ...russian },
  { charset: 'koi8-r', ...russian },
  {
    charset: 'windows-1251',
    lang: 'uk',
    title: 'Розклад припливів на осінь',
    text: 'Щоранку доглядач маяка записує висоту води та силу вітру. Учора море було спокійним, а сьогодні вночі здійнявся шторм.',
  },
  { charset: 'shift_jis', ...japanese },
  { charset: 'euc-jp', ...japanese },
  {
    charset: 'euc-kr',
    lang: 'ko',
    title: '가을 밀물 시간표',
    text: '매일 아침 등대지기는 수위와 바람의 세기를 기록합니다. 어제 바다는 잔잔했지만 밤에 폭풍이 왔습니다.',
  },
  {
    charset: 'gb18030',
    lang: 'zh',
    title: '秋季潮汐时间表',
    text: '每天早晨，灯塔看守人都会记录水位和风力。昨天海面平静，但是夜里起了风暴。',
  },
  {
    charset: 'big5',
    lang: 'zh-TW',
    title: '秋季潮汐時間表',
    text: '每天早晨，燈塔看守人都會記錄水位和風力。昨天海面平靜，但是夜裡起了風暴。',
  },
  { charset: 'iso-8859-2', ...polish },
  { charset: 'windows-1250', ...polish },
  { charset: 'iso-8859-2', ...czech },
  { charset: 'windows-1250', ...czech },
  {
    charset: 'iso-8859-2',
    lang: 'hu',
    title: 'Az őszi árapály táblázata',
    text: 'A toronyőr minden reggel feljegyzi a víz magasságát és a szél erejét. Tegnap a tenger nyugodt volt, de éjjel vihar támadt.',
  },
]

/** Texts that are too short for any detector. */
export const fewWords: readonly [charset: string, text: string][] = [
  ['windows-1251', 'Съешь же ещё этих мягких французских булок'],
  ['shift_jis', 'こんにちは世界'],
  ['euc-kr', '안녕하세요 세계'],
  ['gb18030', '你好，世界'],
  ['iso-8859-2', 'Zażółć gęślą jaźń'],
  ['iso-8859-2', 'Příliš žluťoučký kůň úpěl ďábelské ódy'],
  ['windows-1252', 'Être où à l’été'],
  ['windows-1252', '© 2004 “Acme”™ • 100 °C ± 5 µm'],
  ['windows-1252', 'naïve café à la carte'],
  ['windows-1252', 'Ação não, São Paulo'],
  ['windows-1252', 'Ærø, Øresund, Å'],
]

/** Texts with few non-ASCII letters. In other encodings, the bytes of some of these letters are other letters. */
export const inWindows1252: readonly InCharset[] = [
  [
    'de',
    'Gezeitentafel für den Herbst',
    'Schöne Grüße aus Köln: Das Meer war ruhig, bis heute Nacht ein Sturm kam.',
  ],
  [
    'fr',
    'Table des marées d’automne',
    'Le ciel s’éclaircira le soir. Venez voir la vieille jetée où l’on boit un thé.',
  ],
  [
    'es',
    'Tabla de mareas de otoño',
    'Cada mañana el farero anota la altura del agua. ¿Quién vendrá a ver el muelle?',
  ],
  [
    'pt',
    'Tabela das marés de outono',
    'Amanhã há previsão de chuva, mas ao fim da tarde o céu ficará limpo, pois não?',
  ],
  [
    'it',
    'Tavola delle maree',
    'Più tardi c’è il tè: però verso sera il cielo si aprirà, e la città sarà à la page.',
  ],
  [
    'en',
    'Café menu',
    'Every morning the keeper – so they say – eats à la carte, for £5. It’s “naïve”, he said.',
  ],
  ['en', 'El Niño', 'The sea was warm.'],
  [
    'da',
    'Tidevandstabel for efteråret',
    'I går var havet roligt, men i nat blæste det op. Bådene blev på bøjen.',
  ],
].map(([lang = '', title = '', text = '']) => ({ charset: 'windows-1252', lang, title, text }))

/** Encodes a text. Throws for a character that the encoding lacks. */
export function encodedIn(charset: string, text: string): Buffer {
  const table = tables.get(charset) ?? tableOf(charset)
  tables.set(charset, table)
  const bytes = Array.from(text, character => {
    const found = table.get(character)
    if (found === undefined) throw new Error(`${charset} lacks ${character}`)
    return found
  })
  return Buffer.from(bytes.flat())
}

/** Returns a page without a declared encoding. */
export const undeclaredPage = ({ charset, title, text }: InCharset): Buffer =>
  encodedIn(
    charset,
    `<html><head><title>${title}</title><script>let words = "<p>"</script></head><body>` +
      `<p><a href=/>Home</a> <a href=/about>About us</a></p><h1>${title}</h1><p>${text}</p></body></html>`,
  )

const tables = new Map<string, Map<string, number[]>>()

/**
 * Returns the bytes of each character that the encoding writes in one or two bytes, found with the platform's decoder.
 */
function tableOf(charset: string): Map<string, number[]> {
  const decoder = new TextDecoder(charset)
  const table = new Map<string, number[]>()
  const add = (...bytes: number[]) => {
    const text = decoder.decode(Uint8Array.from(bytes))
    if (!text.includes('\ufffd') && [...text].length === 1 && !table.has(text)) table.set(text, bytes)
  }
  for (let first = 0; first < 0x100; first++) add(first)
  for (let first = 0x81; first < 0xff; first++) for (let next = 0x30; next < 0xff; next++) add(first, next)
  return table
}
