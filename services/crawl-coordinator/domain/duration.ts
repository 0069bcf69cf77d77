/** Parses durations in settings: whole seconds, or ISO 8601 with weeks, days, hours, minutes, seconds. */

const iso = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/
const secondsOf = [604_800, 86_400, 3_600, 60, 1]

/** JSON Schema pattern of the durations that `secondsIn` parses. */
export const durationPattern = '^(\\d+|P(?=\\d|T\\d)(\\d+W)?(\\d+D)?(T(?=\\d)(\\d+H)?(\\d+M)?(\\d+S)?)?)$'

/** Returns the seconds in a duration such as `P7D`, `PT1H30M` or `90`; 0 if it is invalid. */
export function secondsIn(duration: string): number {
  if (/^\d+$/.test(duration)) return Number(duration)
  const parts = iso.exec(duration)?.slice(1) ?? []
  return parts.reduce((sum, part, n) => sum + Number(part ?? 0) * (secondsOf[n] ?? 0), 0)
}
