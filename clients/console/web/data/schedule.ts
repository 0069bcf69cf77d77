/** Writes the usual schedules of crontab(5) as words. Others stay as they are, also wrong ones. */

const days = ['Sundays', 'Mondays', 'Tuesdays', 'Wednesdays', 'Thursdays', 'Fridays', 'Saturdays', 'Sundays']
const isNumber = (text: string, max: number): boolean => /^\d{1,2}$/.test(text) && Number(text) <= max

/** Returns the step of a field; null: it has none, or the last interval before `limit` is shorter than the others. */
function evenStep(field: string, limit: number): number | null {
  const step = Number(/^\*\/(\d+)$/.exec(field)?.[1])
  return step > 0 && step < limit && limit % step === 0 ? step : null
}

export function scheduleWords(cron: string): string {
  const [minute = '', hour = '', day = '', month = '', weekday = '', ...rest] = cron.trim().split(/\s+/)
  if (rest.length > 0 || month !== '*') return cron
  const isDaily = day === '*' && weekday === '*'
  const everyMinutes = evenStep(minute, 60)
  if (isDaily && hour === '*' && (minute === '*' || everyMinutes === 1)) return 'every minute'
  if (isDaily && hour === '*' && everyMinutes !== null) return `every ${everyMinutes} minutes`
  if (!isNumber(minute, 59)) return cron
  if (isDaily && hour === '*') return `every hour at :${minute.padStart(2, '0')}`
  const everyHours = evenStep(hour, 24)
  if (isDaily && everyHours !== null && everyHours > 1)
    return `every ${everyHours} hours at :${minute.padStart(2, '0')}`
  if (!isNumber(hour, 23)) return cron
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
  if (isDaily) return `daily at ${time}`
  if (day === '*' && isNumber(weekday, 7)) return `${days[Number(weekday)]} at ${time}`
  if (weekday === '*' && isNumber(day, 31) && Number(day) > 0) return `monthly on day ${day} at ${time}`
  return cron
}
