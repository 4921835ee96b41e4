<?xml version="1.0"?>
<!-- The generated book as one HTML page: contents with lengths, sorted tables, index of the emphasised words. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="html" encoding="UTF-8" indent="yes"/>
  <xsl:key name="emphasis" match="em" use="."/>

  <xsl:template match="/book">
    <html>
      <head><title><xsl:value-of select="chapter[1]/title"/></title></head>
      <body>
        <ol><xsl:apply-templates select="chapter" mode="contents"/></ol>
        <xsl:apply-templates select="chapter"/>
        <h1>Index</h1>
        <dl><xsl:apply-templates select="//em[generate-id() = generate-id(key('emphasis', .)[1])]" mode="index">
          <xsl:sort select="."/>
        </xsl:apply-templates></dl>
      </body>
    </html>
  </xsl:template>

  <xsl:template match="chapter" mode="contents">
    <li>
      <a href="#{@id}"><xsl:value-of select="title"/></a>
      <xsl:text> (</xsl:text><xsl:value-of select="string-length(normalize-space(.))"/><xsl:text> characters)</xsl:text>
      <ol><xsl:for-each select="section"><li><xsl:value-of select="title"/></li></xsl:for-each></ol>
    </li>
  </xsl:template>

  <xsl:template match="em" mode="index">
    <dt><xsl:value-of select="."/></dt>
    <dd><xsl:for-each select="key('emphasis', .)">
      <xsl:number level="multiple" count="chapter|section" format="1.1 "/>
    </xsl:for-each></dd>
  </xsl:template>

  <xsl:template match="chapter"><div id="{@id}"><xsl:apply-templates/></div></xsl:template>
  <xsl:template match="chapter/title"><h1><xsl:number count="chapter"/>. <xsl:apply-templates/></h1></xsl:template>
  <xsl:template match="section/title">
    <h2><xsl:number level="multiple" count="chapter|section" format="1.1"/>&#160;<xsl:apply-templates/></h2>
  </xsl:template>
  <xsl:template match="para"><p><xsl:apply-templates/></p></xsl:template>
  <xsl:template match="em"><i><xsl:value-of select="translate(., 'abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ')"/></i></xsl:template>
  <xsl:template match="list"><ul><xsl:apply-templates/></ul></xsl:template>
  <xsl:template match="item"><li><xsl:apply-templates/></li></xsl:template>

  <xsl:template match="table">
    <table>
      <xsl:for-each select="row">
        <xsl:sort select="count" data-type="number" order="descending"/>
        <tr><td><xsl:value-of select="name"/></td><td><xsl:value-of select="format-number(count, '#,##0')"/></td>
          <td><xsl:value-of select="share"/></td></tr>
      </xsl:for-each>
      <tr><td>total</td><td><xsl:value-of select="sum(row/count)"/></td><td/></tr>
    </table>
  </xsl:template>
</xsl:stylesheet>
