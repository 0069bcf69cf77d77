/** Link texts that say nothing about the target, in several languages. */
const texts = new Set(
  (
    'click here|click this|go|here|this|start|right here|more|more…|more...|learn more|read more|link|this link|' +
    'this page|see more|details|continue|continue reading|find out more|go here|info|more info|' +
    'hier|hier klicken|klicken sie hier|mehr|mehr erfahren|weiterlesen|weiter|mehr lesen|' +
    'ici|cliquez ici|en savoir plus|lire la suite|plus|aquí|haga clic aquí|leer más|más|más información|' +
    'clicca qui|qui|leggi tutto|scopri di più|clique aqui|aqui|saiba mais|leia mais|klik hier|lees meer|meer'
  ).split('|'),
)

/** @param text white space collapsed */
export const isGeneric = (text: string): boolean =>
  texts.has(text.toLowerCase().replace(/(?<![\s»›>→.!:])[\s»›>→.!:]+$/u, '')) || /^(?:>>|»|›|→)$/.test(text)
