/** Names in many scripts and phone numbers in many formats, drawn from dice. */
import type { Dice } from './dice.ts';

const firstNames =
  'Anna|Björn|Chloé|Dmitri|Eszter|美咲|فاطمة|José|Øyvind|Zoë|Łukasz|Иван|Ольга|Γιώργος|דוד|สมชาย|지훈|देवी|Nguyễn|Siân|' +
  'Mary Ann|D’Arcy|Jean-Luc|Þóra|Ağça|Čeněk|王伟|たろう|Ana "Nana"|Max🎈|A\\B|Li|ߊߥߊ|𝒜da|Mehmet|Ewa|Tom|Sam|Ida|Noël';
const lastNames =
  "Müller|O'Neill|García López|佐藤|حسن|Smith|Ünal|Nowak|Grün 🎈|Петрова|Παπαδόπουλος|כהן|วงศ์|김|शर्मा|Trần|van der Berg|" +
  'Þórsson|Dvořák|Šimić|李|渡辺|de la "Peña"|Back\\Slash|McDonald|Ng|Ó Súilleabháin|Đặng|Kovács|Żółć|Bauer|Schmid|Rossi|' +
  'Ferrari|Dubois|Martin|Jensen|Virtanen|Lee|X';
const firsts = firstNames.split('|');
const lasts = lastNames.split('|');

/** One name in two of about 1,600. */
export const firstName = (dice: Dice): string => draw(firsts, ' ', dice);
export const lastName = (dice: Dice): string => draw(lasts, '-', dice);

function draw(names: readonly string[], join: string, dice: Dice): string {
  const name = dice.pick(names);
  return dice.below(2) === 0 ? name : name + join + dice.pick(names);
}

/** Country code, mobile prefix, trunk prefix, how many digits follow, and how they are grouped there. */
const countries: readonly (readonly [
  code: string,
  prefix: string,
  trunk: string,
  groups: readonly number[],
])[] = [
  ['41', '79', '0', [3, 2, 2]],
  ['49', '151', '0', [4, 4]],
  ['33', '6', '0', [2, 2, 2, 2]],
  ['44', '74', '0', [2, 6]],
  ['39', '347', '', [3, 4]],
  ['43', '664', '0', [3, 4]],
  ['48', '60', '', [3, 4]],
  ['81', '90', '0', [4, 4]],
];

/** Of each index another number. Six of ten are E.164, the others as users type them, abroad and at home. */
export function phoneNumber(index: number, dice: Dice): string {
  const [code, prefix, trunk, groups] = dice.pick(countries);
  const length = groups.reduce((sum, digits) => sum + digits, 0);
  // The prime divides no power of ten, so no two indices below 10,000,000 share a number.
  const digits = String((index * 7919) % 10 ** length).padStart(length, '0');
  if (dice.below(100) < 60) return `+${code}${prefix}${digits}`;
  let from = 0;
  const grouped = groups.map((count) => digits.slice(from, (from += count))).join(dice.pick([' ', '-', '.']));
  const start = dice.pick([
    `+${code} ${prefix}`,
    `00${code} ${prefix}`,
    `+${code} (${trunk}) ${prefix}`,
    `${trunk}${prefix}`,
  ]);
  return `${start} ${grouped}`;
}
