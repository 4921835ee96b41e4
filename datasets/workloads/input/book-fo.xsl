<?xml version="1.0"?>
<!-- The generated book, set `copies` times over, as XSL formatting objects. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:fo="http://www.w3.org/1999/XSL/Format">
  <xsl:param name="copies" select="1"/>

  <xsl:template match="/book">
    <fo:root font-family="serif" font-size="10pt" line-height="1.3">
      <fo:layout-master-set>
        <fo:simple-page-master master-name="page" page-width="148mm" page-height="210mm" margin="15mm">
          <fo:region-body margin-top="10mm" margin-bottom="10mm" column-count="2" column-gap="6mm"/>
          <fo:region-before extent="8mm"/>
          <fo:region-after extent="8mm"/>
        </fo:simple-page-master>
      </fo:layout-master-set>
      <xsl:call-template name="copy"/>
    </fo:root>
  </xsl:template>

  <xsl:template name="copy">
    <xsl:param name="number" select="1"/>
    <xsl:apply-templates select="chapter"/>
    <xsl:if test="$number &lt; $copies">
      <xsl:call-template name="copy"><xsl:with-param name="number" select="$number + 1"/></xsl:call-template>
    </xsl:if>
  </xsl:template>

  <xsl:template match="chapter">
    <fo:page-sequence master-reference="page">
      <fo:static-content flow-name="xsl-region-before">
        <fo:block text-align="center" font-size="8pt"><xsl:value-of select="title"/></fo:block>
      </fo:static-content>
      <fo:static-content flow-name="xsl-region-after">
        <fo:block text-align="center" font-size="8pt"><fo:page-number/></fo:block>
      </fo:static-content>
      <fo:flow flow-name="xsl-region-body"><xsl:apply-templates/></fo:flow>
    </fo:page-sequence>
  </xsl:template>

  <xsl:template match="chapter/title">
    <fo:block span="all" font-size="18pt" space-after="8mm"><xsl:apply-templates/></fo:block>
  </xsl:template>
  <xsl:template match="section/title">
    <fo:block font-size="13pt" font-weight="bold" space-before="6mm" space-after="2mm" keep-with-next.within-column="always">
      <xsl:apply-templates/>
    </fo:block>
  </xsl:template>
  <xsl:template match="para">
    <fo:block text-align="justify" space-after="2mm" orphans="2" widows="2"><xsl:apply-templates/></fo:block>
  </xsl:template>
  <xsl:template match="em"><fo:inline font-style="italic"><xsl:apply-templates/></fo:inline></xsl:template>

  <xsl:template match="list">
    <fo:list-block provisional-distance-between-starts="5mm" space-after="3mm"><xsl:apply-templates/></fo:list-block>
  </xsl:template>
  <xsl:template match="item">
    <fo:list-item>
      <fo:list-item-label end-indent="label-end()"><fo:block>&#8226;</fo:block></fo:list-item-label>
      <fo:list-item-body start-indent="body-start()"><fo:block><xsl:apply-templates/></fo:block></fo:list-item-body>
    </fo:list-item>
  </xsl:template>

  <xsl:template match="table">
    <fo:table table-layout="fixed" width="100%" space-after="3mm" border="0.5pt solid black">
      <fo:table-column column-width="proportional-column-width(2)"/>
      <fo:table-column column-width="proportional-column-width(1)" number-columns-repeated="2"/>
      <fo:table-body><xsl:apply-templates/></fo:table-body>
    </fo:table>
  </xsl:template>
  <xsl:template match="row"><fo:table-row><xsl:apply-templates/></fo:table-row></xsl:template>
  <xsl:template match="row/*">
    <fo:table-cell border="0.5pt solid black" padding="1mm"><fo:block><xsl:apply-templates/></fo:block></fo:table-cell>
  </xsl:template>
</xsl:stylesheet>
