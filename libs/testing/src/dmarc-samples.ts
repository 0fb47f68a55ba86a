import { gzipSync } from 'node:zlib';

export interface SampleRecord {
  source?: string;
  count?: number;
  disposition?: string;
  dkim?: string;
  spf?: string;
  headerFrom?: string;
}

export const recordOf = ({
  source = '192.0.2.1',
  count = 1,
  disposition = 'none',
  dkim = 'pass',
  spf = 'fail',
  headerFrom = 'shop.example',
}: SampleRecord = {}): string => `<record>
  <row><source_ip>${source}</source_ip><count>${count}</count>
    <policy_evaluated><disposition>${disposition}</disposition><dkim>${dkim}</dkim><spf>${spf}</spf></policy_evaluated></row>
  <identifiers><header_from>${headerFrom}</header_from></identifiers>
  <auth_results>
    <dkim><domain>other.example</domain><selector>s</selector><result>fail</result></dkim>
    <dkim><domain>Shop.Example</domain><selector>s</selector><result>pass</result></dkim>
    <spf><domain>bounces.shop.example</domain><result>pass</result></spf>
  </auth_results>
</record>`;

interface SampleReport {
  domain?: string;
  id?: string;
  begin?: number;
  records?: string;
}

/** As large receivers write them. */
export const dmarcXml = ({
  domain = 'shop.example',
  id = '1764374400.1',
  begin = 1_764_288_000,
  records = recordOf(),
}: SampleReport = {}): string => `<?xml version="1.0" encoding="UTF-8" ?>
<feedback>
  <version>1.0</version>
  <report_metadata><org_name>mx.example</org_name><email>noreply@mx.example</email><report_id>${id}</report_id>
    <date_range><begin>${begin}</begin><end>${begin + 86_399}</end></date_range></report_metadata>
  <policy_published><domain>${domain}</domain><adkim>r</adkim><aspf>r</aspf><p>quarantine</p><sp>none</sp><pct>100</pct></policy_published>
  ${records}
</feedback>`;

interface SampleFile {
  type?: string;
  name?: string;
}

export const dmarcMailOf = (
  file: Uint8Array,
  {
    type = 'application/gzip',
    name = 'mx.example!shop.example!1764288000!1764374399.xml.gz',
  }: SampleFile = {},
): Buffer =>
  Buffer.from(
    [
      'From: noreply@mx.example',
      'Subject: Report domain: shop.example',
      'MIME-Version: 1.0',
      `Content-Type: ${type}; name="${name}"`,
      `Content-Disposition: attachment; filename="${name}"`,
      'Content-Transfer-Encoding: base64',
      '',
      ...(Buffer.from(file)
        .toString('base64')
        .match(/.{1,76}/g) ?? []),
      '',
    ].join('\r\n'),
  );

export const dmarcMail = (report: SampleReport = {}): Buffer => dmarcMailOf(gzipSync(dmarcXml(report)));
