/** The elements within a line of text. */
const inline = new Set(
  (
    'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q s samp small span ' +
    'strike strong sub sup time tt u var wbr ruby rb rt rp rtc img amp-img math svg mjx-container mjx-math ' +
    'mjx-assistive-mml'
  ).split(' '),
)

/** Returns whether a word continues across the tags of an element of that name. */
export const isInline = (name: string): boolean => inline.has(name)
