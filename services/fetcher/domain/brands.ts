/**
 * Generates the value of `sec-ch-ua` like Chromium (User-Agent Client Hints, 6.2): a made-up brand, its version and
 * the order of the list follow from the browser's version.
 */
const greaseSigns = [' ', '(', ':', '-', '.', '/', ')', ';', '=', '?', '_']
const greaseVersions = [8, 99, 24]
const brandOrders = ['012', '021', '102', '120', '201', '210']

/** Returns the value for a version. `brand` is the browser's own, such as `Google Chrome`. */
export function brandList(brand: string, version: number): string {
  const sign = (at: number) => greaseSigns[at % greaseSigns.length]
  const grease = `Not${sign(version)}A${sign(version + 1)}Brand`
  const brands = [
    [grease, greaseVersions[version % greaseVersions.length]],
    ['Chromium', version],
    [brand, version],
  ].map(([name, major]) => `"${name}";v="${major}"`)
  const list: string[] = []
  const positions = brandOrders[version % brandOrders.length] ?? '012'
  for (const [at, position] of [...positions].entries()) list[Number(position)] = brands[at] ?? ''
  return list.join(', ')
}
