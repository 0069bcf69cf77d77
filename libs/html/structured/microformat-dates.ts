/** Assembles dates and times from pieces: microformats' value class pattern, "date and time parsing". */

const dateForm = /^\d{4}-(?:\d\d(?:-\d\d)?|\d{3})$/
const timeForm = /^(\d{1,2})(?::(\d\d))?(?::(\d\d))?\s*([ap])?\.?(?:m\.?)?\s*(z|[+-]\d{1,2}(?::?\d\d)?)?$/i
/** Maximum characters of a time. */
const maxTime = 100
const zoneForm = /^(?:z|[+-]\d{1,2}(?::?\d\d)?)$/i
const beginsWithDate = /^\d{4}-(?:\d\d-\d\d|\d{3})(?!\d)/

/** Returns the date at the start of a value, or null. */
export const dateIn = (value: string): string | null => beginsWithDate.exec(value)?.[0] ?? null

/** Returns one value from pieces: a date, a time, a time zone, or all in one. */
export function momentOf(pieces: readonly string[]): string {
  let date = ''
  let time = ''
  let zone = ''
  for (const piece of pieces.map(text => text.trim())) {
    if (dateForm.test(piece)) date ||= piece
    else if (zoneForm.test(piece)) zone ||= zoneOf(piece)
    else if (timeOf(piece) !== null) time ||= timeOf(piece) ?? ''
    else if (dateIn(piece) !== null && date === '') date = piece
  }
  const moment = `${date} ${time}`.trim() + (time === '' && !/\d:\d/.test(date) ? '' : zone)
  return moment === '' ? pieces.join('').trim() : moment
}

/** Returns `7pm` as `19:00`, with its time zone, or null if it is not a time of day. */
export function timeOf(text: string): string | null {
  const [whole, hour = '', minutes, seconds, half, zone] = timeForm.exec(text.slice(0, maxTime)) ?? []
  if (whole === undefined || (minutes === undefined && half === undefined)) return null
  const hours =
    half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  const parts = [String(hours).padStart(2, '0'), minutes ?? '00', ...(seconds === undefined ? [] : [seconds])]
  return parts.join(':') + (zone === undefined ? '' : zoneOf(zone))
}

/** Returns `-8:00` as `-0800`. */
function zoneOf(text: string): string {
  if (/^z$/i.test(text)) return 'Z'
  const [hours = '', minutes = ''] = text.slice(1).includes(':')
    ? text.slice(1).split(':')
    : text.length > 3
      ? [text.slice(1, -2), text.slice(-2)]
      : [text.slice(1)]
  return `${text[0]}${hours.padStart(2, '0')}${minutes}`
}
