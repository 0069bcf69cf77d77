/** Writes the usual schedules of crontab(5) as words. Others stay as they are. */

const days = ['Sundays', 'Mondays', 'Tuesdays', 'Wednesdays', 'Thursdays', 'Fridays', 'Saturdays', 'Sundays']
const isNumber = (text: string): boolean => /^\d{1,2}$/.test(text)

export function scheduleWords(cron: string): string {
  const [minute = '', hour = '', day = '', month = '', weekday = '', ...rest] = cron.trim().split(/\s+/)
  if (rest.length > 0 || month !== '*') return cron
  const isDaily = day === '*' && weekday === '*'
  const everyMinutes = /^\*\/(\d+)$/.exec(minute)?.[1]
  if (isDaily && hour === '*' && minute === '*') return 'every minute'
  if (isDaily && hour === '*' && everyMinutes !== undefined) return `every ${everyMinutes} minutes`
  if (!isNumber(minute)) return cron
  if (isDaily && hour === '*') return `every hour at :${minute.padStart(2, '0')}`
  if (!isNumber(hour)) return cron
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
  if (isDaily) return `daily at ${time}`
  if (day === '*' && isNumber(weekday)) return `${days[Number(weekday)] ?? weekday} at ${time}`
  if (weekday === '*' && isNumber(day)) return `monthly on day ${day} at ${time}`
  return cron
}
